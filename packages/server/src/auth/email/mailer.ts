/** Sends mails through the configured SMTP server. */
import { KernelBotError } from "@kernelbot/core";
import type { Logger } from "pino";
import type { MailOptions } from "./options.ts";

export interface Mail {
  to: string;
  subject: string;
  text: string;
  html: string;
}

export interface Mailer {
  /** Domains of the addresses with which people can sign in; empty for every domain. */
  domains: readonly string[];
  /**
   * Resolves once the SMTP server has accepted the mail.
   * @throws KernelBotError `unprocessable` if it rejected the address; `unavailable` if it cannot be reached, did not
   * answer within 20 s or rejected the mail. Both are logged.
   */
  send(mail: Mail): Promise<void>;
  close(): void;
}

/** Timeout of a mail, the wait for a connection included, in milliseconds: a browser waits for the response. */
const SEND_MS = 20_000;
const CONNECT_MS = 8000;
/** Connections that are kept open. A class that signs in at once waits, rather than exceeding the server's limit. */
const MAX_CONNECTIONS = 5;

export async function openMailer({ server, from, domains }: MailOptions, log: Logger): Promise<Mailer> {
  // Loading takes 0.2 s, which only servers with e-mail need.
  const { createTransport } = await import("nodemailer");
  const { host, port, secure, requireTls, user, password } = server;
  const transport = createTransport({
    ...{ host, port, secure, requireTLS: requireTls, pool: true, maxConnections: MAX_CONNECTIONS },
    ...(user !== "" && { auth: { user, pass: password } }),
    ...{ connectionTimeout: CONNECT_MS, greetingTimeout: CONNECT_MS, socketTimeout: SEND_MS, idleTimeout: SEND_MS },
    ...{ disableFileAccess: true, disableUrlAccess: true },
  });
  return {
    domains,
    async send({ to, subject, text, html }) {
      try {
        await transport.sendMail({
          ...{ from, to: { name: "", address: to }, subject, text, html },
          // Keeps out-of-office replies away (RFC 3834).
          headers: { "auto-submitted": "auto-generated" },
          signal: AbortSignal.timeout(SEND_MS),
        });
      } catch (error) {
        log.warn({ err: error, to }, "mail not sent");
        throw isRejectedAddress(error)
          ? new KernelBotError("unprocessable", `the mail server rejected the address ${to}; check its spelling`)
          : new KernelBotError(
              "unavailable",
              "the mail could not be sent; try again in a few minutes, and contact the organiser if the error persists",
            );
      }
      log.info({ to }, "mail sent");
    },
    close: () => transport.close(),
  };
}

/** Returns whether the SMTP server permanently rejected the recipient, rather than the sender or the sign-in. */
function isRejectedAddress(error: unknown): boolean {
  const { command, responseCode } = error as { command?: unknown; responseCode?: unknown };
  return command === "RCPT TO" && typeof responseCode === "number" && responseCode >= 500;
}
