/**
 * Fake SMTP server with AUTH, and answers of real servers for addresses and mails that they do not accept. It offers no
 * extension but AUTH, as an old server: mails must be ASCII in lines of RFC 5322.
 */
import { buffer } from "node:stream/consumers";
import { SMTPServer } from "smtp-server";
import { readMailOptions, type MailOptions } from "@kernelbot/server/src/auth/email/options.ts";

interface ReceivedMail {
  from: string;
  to: string;
  /** Headers and body, with quoted-printable decoded. */
  text: string;
  /** First http address of the text. */
  url: string;
}

/** Step of the dialogue at which the server rejects. */
type Step = "MAIL" | "RCPT" | "DATA";

export interface FakeSmtp extends AsyncDisposable {
  /** Environment of a server that uses this SMTP server. */
  env: Record<string, string>;
  options: MailOptions;
  /** Mails accepted, the oldest first. */
  mails: ReceivedMail[];
  /** Names that signed in, one for each connection. */
  signedIn: string[];
  /** When set, the answer to this step of the next mails; `silence` never answers. */
  refusal: { step: Step; code: number; text: string } | "silence" | undefined;
}

/**
 * @param options.startTls Whether the server offers STARTTLS, with a certificate that no one has signed.
 * @param options.port Port to listen on; 0 for any free one.
 */
export async function startFakeSmtp({ startTls = false, port: requestedPort = 0 } = {}): Promise<FakeSmtp> {
  const refuse = (step: Step, answer: (error?: Error | null) => void): void => {
    const { refusal } = fake;
    if (refusal === "silence") return;
    if (refusal?.step !== step) return answer();
    answer(refusalWith(refusal.code, refusal.text));
  };
  const server = new SMTPServer({
    allowInsecureAuth: true,
    hideSTARTTLS: !startTls,
    ...{ hide8BITMIME: true, hideSMTPUTF8: true, hidePIPELINING: true, hideENHANCEDSTATUSCODES: true },
    logger: false,
    closeTimeout: 200,
    onAuth({ username = "", password }, _, answer) {
      fake.signedIn.push(username);
      if (password === PASSWORD) answer(null, { user: username });
      else answer(Object.assign(new Error("Invalid username or password"), { responseCode: 535 }));
    },
    onMailFrom: ({ address }, __, answer) =>
      isAscii(userOf(address)) ? refuse("MAIL", answer) : answer(refusalWith(553, "5.6.7 SMTPUTF8 is required")),
    onRcptTo: ({ address }, __, answer) =>
      isAscii(userOf(address)) ? refuse("RCPT", answer) : answer(refusalWith(553, "5.6.7 SMTPUTF8 is required")),
    onData(stream, { envelope }, answer) {
      void buffer(stream).then((bytes) => {
        const raw = bytes.toString("latin1");
        if (!isAscii(raw)) return answer(refusalWith(554, "5.6.1 8BITMIME is required"));
        if (raw.split("\r\n").some((line) => line.length > MAX_LINE)) return answer(refusalWith(500, "Line too long"));
        const from = envelope.mailFrom === false ? "" : envelope.mailFrom.address;
        const to = envelope.rcptTo.map(({ address }) => address).join();
        const decoded = raw
          .replace(/=\r\n/g, "")
          .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
        const [url = ""] = /https?:\/\/\S+/.exec(decoded) ?? [];
        refuse("DATA", (error) => {
          if (error == null) fake.mails.push({ from, to, text: decoded, url });
          answer(error);
        });
      });
    },
  });
  server.on("error", () => undefined);
  await new Promise<void>((resolve) => server.listen(requestedPort, "127.0.0.1", resolve));
  const address = server.server.address();
  const port = address !== null && typeof address === "object" ? address.port : 0;
  const env = {
    KERNELBOT_SMTP_URL: `smtp://mailer:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}`,
    KERNELBOT_MAIL_FROM: "KernelBot <kernelbot@example.org>",
  };
  const fake: FakeSmtp = {
    env,
    options: readMailOptions(env) as MailOptions,
    mails: [],
    signedIn: [],
    refusal: undefined,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  };
  return fake;
}

const PASSWORD = "p@ss/word";
/** Characters of a line of a mail (RFC 5322). */
const MAX_LINE = 998;

function isAscii(text: string): boolean {
  return /^\p{ASCII}*$/u.test(text);
}

/** Returns the part of an address that no ASCII form exists for. The library returns domains in Unicode. */
function userOf(address: string): string {
  return address.slice(0, address.lastIndexOf("@"));
}

function refusalWith(responseCode: number, text: string): Error {
  return Object.assign(new Error(text), { responseCode });
}
