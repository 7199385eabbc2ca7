/** Sign-in by e-mail: the form that sends a link, and the page of the link. */
import { KernelBotError } from "@kernelbot/core";
import { emailLinkPage, emailSentPage } from "@kernelbot/web";
import type { Context } from "hono";
import { z } from "zod";
import { followEmailLink, readEmailLink, sendEmailLink } from "../email/links.ts";
import { sessionOf, startSession } from "../../http/cookies.ts";
import { addressOf, localPath, originOf } from "../../http/origin.ts";
import { visitOf } from "../../http/page-context.ts";
import { form, page, type PageRoute } from "../../http/page.ts";
import type { HttpEnv, Services } from "../../services.ts";
import { browserOf, signInFormPage } from "./sign-in-pages.ts";

const Token = z.string().max(100);
/** Longer than any address, so that the error is the address's own. */
export const EmailField = z.object({ email: z.string().max(1000) });

const emailLink = page({
  path: "/sign-in/email",
  access: "viewer",
  query: z.object({ token: Token.optional() }),
  cacheControl: "no-store",
  async handle({ c, services, query: { token = "" }, rejected }) {
    const secret = rejected?.typed.get("token") ?? token;
    // The address of the form that sends a link, opened by hand.
    if (secret === "") return c.redirect("/sign-in", 303);
    const { address, adds, opens } = await readEmailLink(services.database, secret);
    return emailLinkPage({
      address,
      token: secret,
      adds: adds?.name ?? null,
      opens: opens?.name ?? null,
      name: rejected?.typed.get("name") ?? "",
      problem: rejected?.problem,
      visit: visitOf(c, services, await sessionOf(c, services)),
    });
  },
});

export const emailPages: readonly PageRoute[] = [
  emailLink,

  form({
    path: "/sign-in/email",
    access: "anyone",
    on: signInFormPage,
    fields: EmailField.extend({ next: z.string().max(500).optional() }),
    handle: ({ c, services, fields: { email, next } }) =>
      sendLink(c, services, { email, next: localPath(next), accountId: null }),
  }),

  // Link previews and mail scanners only send GET, so the POST of the page's button uses the link.
  form({
    path: "/sign-in/email/link",
    access: "anyone",
    on: emailLink,
    fields: z.object({ token: Token, name: z.string().max(200).default("") }),
    async handle({ c, services, fields: { token, name } }) {
      const viewer = await sessionOf(c, services);
      const opener = { ...browserOf(c, services), viewer, name };
      const { next, session } = await followEmailLink(services.database, token, opener);
      if (session !== null) await startSession(c, services, session);
      return next;
    },
  }),
];

/** Sends a link to the address and renders the page that says so. */
export async function sendLink(
  c: Context<HttpEnv>,
  services: Services,
  { email, next, accountId }: { email: string; next: string; accountId: string | null },
): Promise<Response> {
  const { database, site } = services;
  if (site.mailer === undefined) {
    throw new KernelBotError(
      "not_found",
      "sign-in by e-mail is not configured on this server; /sign-in lists the available methods",
    );
  }
  const client = addressOf(c, site);
  const origin = originOf(c, site);
  const address = await sendEmailLink(database, site.mailer, { email, next, accountId, client, origin });
  const visit = visitOf(c, services, await sessionOf(c, services));
  return c.html(await emailSentPage({ address, adds: accountId !== null, visit }));
}
