/** The mails with links. They contain no text of users, so that no one can send words of their own through this server. */
import { html } from "hono/html";
import type { Mail } from "./mailer.ts";

interface LinkMail {
  to: string;
  url: string;
  /** Whether the link adds the address to an account, rather than signing in. */
  adds: boolean;
  /** Minutes until the link expires. */
  minutes: number;
}

export async function linkMail({ to, url, adds, minutes }: LinkMail): Promise<Mail> {
  const { host } = new URL(url);
  const subject = adds ? `Add this e-mail address to your account at ${host}` : `Sign in to ${host}`;
  const lead = adds
    ? `Someone who is signed in to KernelBot at ${host} asked to add this e-mail address to their account. If that was you, open this link in the browser in which you are signed in:`
    : `Open this link to sign in to KernelBot at ${host}:`;
  const end = `The link works once, within ${minutes} minutes. If you did not ask for it, ignore this mail: nothing happens without the link.`;
  const page = await html`<html lang="en">
    <head>
      <meta charset="utf-8" />
      <title>${subject}</title>
    </head>
    <body>
      <p>${lead}</p>
      <p><a href="${url}">${url}</a></p>
      <p>${end}</p>
    </body>
  </html>`;
  return {
    to,
    subject,
    text: `${lead}\n\n${url}\n\n${end}\n`,
    html: `<!doctype html>${page}\n`,
  };
}
