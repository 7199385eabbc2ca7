/** E-mail addresses as identities. */
import { domainToASCII } from "node:url";
import { KernelBotError, quote } from "@kernelbot/core";
import { z } from "zod";

/** The syntax that browsers accept in `<input type="email">`: no spaces, quotes, line breaks or lists. */
const Address = z.string().max(254).regex(z.regexes.html5Email);

/**
 * Returns the address in the form in which it identifies its owner: in lower case, with the domain in ASCII. Mail is sent
 * to this form, so on a mail server that distinguishes cases no other mailbox can prove the same identity.
 * @param domains Domains of which an address is accepted; empty for every domain.
 * @throws KernelBotError `unprocessable` if it is not a valid address, or of another domain.
 */
export function toAddress(text: string, domains: readonly string[] = []): string {
  const typed = text.trim();
  const at = typed.lastIndexOf("@");
  const domain = domainToASCII(typed.slice(at + 1));
  const parsed = Address.safeParse(`${typed.slice(0, at)}@${domain}`.toLowerCase());
  if (at < 0 || !parsed.success) {
    throw new KernelBotError(
      "unprocessable",
      `${quote(text)} is not a valid e-mail address; use one such as ada@example.org`,
    );
  }
  if (domains.length > 0 && !domains.includes(domain)) {
    throw new KernelBotError(
      "unprocessable",
      `this server accepts only e-mail addresses of ${domains.join(", ")}; ${quote(parsed.data)} is not one of them`,
    );
  }
  return parsed.data;
}
