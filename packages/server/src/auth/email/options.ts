/** Options of sign-in by e-mail, read from the environment. */
import { domainToASCII } from "node:url";
import { KernelBotError, quote } from "@kernelbot/core";
import { isLoopback } from "../loopback.ts";
import { toAddress } from "./address.ts";

export interface MailOptions {
  server: {
    host: string;
    port: number;
    /** Whether the connection uses TLS from the start (`smtps`), rather than STARTTLS. */
    secure: boolean;
    /** Whether a server without STARTTLS is refused, so that the password does not cross a network in the clear. */
    requireTls: boolean;
    user: string;
    password: string;
  };
  /** Sender of the mails. */
  from: { name: string; address: string };
  /** Domains of the addresses with which people can sign in; empty for every domain. */
  domains: readonly string[];
}

/**
 * Reads KERNELBOT_SMTP_URL, KERNELBOT_MAIL_FROM and KERNELBOT_MAIL_DOMAINS; undefined when none is set.
 * @throws KernelBotError `bad_request` that names each invalid variable and never quotes the password.
 */
export function readMailOptions(env: NodeJS.ProcessEnv): MailOptions | undefined {
  const [url = "", sender = "", list = ""] = ["SMTP_URL", "MAIL_FROM", "MAIL_DOMAINS"].map((name) =>
    env[`KERNELBOT_${name}`]?.trim(),
  );
  if (url === "" && sender === "" && list === "") return undefined;
  const faults: string[] = [];
  const server = smtpServer(url);
  if (server === null) faults.push("KERNELBOT_SMTP_URL: use smtp://USER:PASSWORD@HOST:PORT or smtps://…");
  const from = parseSender(sender);
  if (from === null) faults.push(`KERNELBOT_MAIL_FROM: ${quote(sender)} must be an address or NAME <ADDRESS>`);
  const domains = list.split(/[,\s]+/).filter((part) => part !== "");
  for (const domain of domains) {
    if (!/^[^@*]+\.[^@*]+$/.test(domain) || domainToASCII(domain) === "")
      faults.push(`KERNELBOT_MAIL_DOMAINS: ${quote(domain)} must be a domain such as example.org`);
  }
  if (server === null || from === null || faults.length > 0) throw new KernelBotError("bad_request", faults.join("; "));
  return { server, from, domains: domains.map((domain) => domainToASCII(domain)) };
}

function smtpServer(text: string): MailOptions["server"] | null {
  const url = URL.parse(text);
  if (url === null || !/^smtps?:$/.test(url.protocol) || url.hostname === "") return null;
  if (!/^\/?$/.test(url.pathname) || url.search !== "" || url.hash !== "") return null;
  const secure = url.protocol === "smtps:";
  const host = url.hostname.replace(/^\[|\]$/g, "");
  try {
    const [user, password] = [decodeURIComponent(url.username), decodeURIComponent(url.password)];
    return {
      host,
      port: url.port === "" ? (secure ? 465 : 587) : Number(url.port),
      secure,
      requireTls: !secure && user !== "" && !isLoopback(host),
      user,
      password,
    };
  } catch {
    return null;
  }
}

/** Parses `ada@example.org` or `Ada <ada@example.org>`; null if it is neither. */
function parseSender(text: string): MailOptions["from"] | null {
  const [, name = "", address = text] = /^"?([^"<>]*?)"?\s*<([^<>]*)>$/.exec(text) ?? [];
  try {
    return /\p{C}/u.test(name) ? null : { name: name.trim(), address: toAddress(address) };
  } catch {
    return null;
  }
}
