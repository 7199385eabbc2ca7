/** Pages on which an organiser chooses what a new activity of a learning platform opens. */
import { CompetitionName, ProblemName } from "@kernelbot/core";
import { deepLinkChosenPage, deepLinkPage, deepLinkResponsePage, deepLinkWaitingPage } from "../pages/deep-link.ts";
import { z } from "zod";
import { framedPolicy } from "@kernelbot/server/src/http/headers.ts";
import { originOf } from "@kernelbot/server/src/http/origin.ts";
import { visitOf } from "@kernelbot/server/src/http/page-context.ts";
import { form, page, type PageRoute } from "@kernelbot/server/src/http/page.ts";
import { answerDeepLink, chooseDeepLink, listOwnCourses, readDeepLink } from "../deep-link.ts";
import { signOf } from "../key.ts";
import { ltiAddresses } from "./addresses.ts";

const PATH = "/lti/deep-link/:secret{[A-Za-z0-9_-]{43}}";
const Secret = z.object({ secret: z.string() });

const choice = page({
  path: PATH,
  access: "signed-in",
  params: Secret,
  async handle({ services: { database }, identity, params: { secret }, visit, rejected }) {
    const { platform, contextTitle } = await readDeepLink(database, secret);
    const courses = await listOwnCourses(database, identity);
    const path = `/lti/deep-link/${secret}`;
    return deepLinkPage({ visit, path, platform, contextTitle, courses, problem: rejected?.problem });
  },
});

export const deepLinkPages: readonly PageRoute[] = [
  choice,

  form({
    path: PATH,
    on: choice,
    fields: z.object({ competition: CompetitionName, problem: z.union([ProblemName, z.literal("")]) }),
    async handle({ c, services: { database }, identity, params: { secret }, fields: { competition, problem }, visit }) {
      const { isFramed, platform } = await readDeepLink(database, secret);
      await chooseDeepLink(database, identity, secret, { competition, problem: problem === "" ? undefined : problem });
      return isFramed ? c.html(await deepLinkChosenPage({ visit, platform })) : `/lti/deep-link/${secret}/response`;
    },
  }),

  page({
    path: `${PATH}/response`,
    access: "anyone",
    params: Secret,
    cacheControl: "no-store",
    async handle({ c, services, params: { secret } }) {
      const { database, site } = services;
      c.header("content-security-policy", framedPolicy(site));
      const visit = visitOf(c, services, null);
      const { linkId, platform } = await readDeepLink(database, secret);
      if (linkId === null) return deepLinkWaitingPage({ visit, path: `/lti/deep-link/${secret}`, platform });
      const { launchUrl } = ltiAddresses(originOf(c, site));
      const { returnUrl, token } = await answerDeepLink(database, signOf(services), secret, launchUrl);
      c.header("content-security-policy", framedPolicy(site, new URL(returnUrl).origin));
      return deepLinkResponsePage({ visit, returnUrl, token });
    },
  }),
];
