/** Page of a course at learning platforms, for its organisers: links, and the state of the grades. */
import { CompetitionName } from "@kernelbot/core";
import { LtiLinkRequest } from "../messages.ts";
import { adminCourseLtiPage, type NewCourseLink } from "../pages/course.ts";
import { z } from "zod";
import { readOrganised } from "@kernelbot/server/src/competitions/competitions.ts";
import { getCourse } from "../../courses/courses.ts";
import { validated } from "@kernelbot/server/src/http/input.ts";
import { originOf } from "@kernelbot/server/src/http/origin.ts";
import { doneQuery, form, page, type PageCall, type PageRoute } from "@kernelbot/server/src/http/page.ts";
import { createLink, readCourseLti, revokeLink } from "../links.ts";
import { listPlatformNames } from "../platforms.ts";
import { sendGradesNow } from "../scores.ts";
import { ltiAddresses } from "./addresses.ts";

const Address = z.object({ name: CompetitionName });
const DONE = { sending: "Grades are being sent.", revoked: "Link revoked." } as const;
const Query = doneQuery(DONE);
type Call = PageCall<PageCall["identity"], z.infer<typeof Address>, z.infer<typeof Query>>;

const lti = page({
  path: "/admin/competitions/:name/course/lti",
  access: "organiser",
  params: Address,
  query: Query,
  cacheControl: "private, no-store",
  handle: (call) => render(call),
});

async function render(call: Call, created?: NewCourseLink): Promise<string> {
  const { services, identity, params, query, visit, rejected } = call;
  const { database } = services;
  const competition = await readOrganised(database, identity, params.name);
  const [course, state, platforms] = await Promise.all([
    getCourse(database.db, params.name),
    readCourseLti(database, identity, params.name),
    listPlatformNames(database),
  ]);
  return adminCourseLtiPage({
    ...{ visit, competition, platforms, created },
    state,
    problems: course.assignments.map(({ problem }) => problem),
    outcome: { done: query.done && DONE[query.done], problem: rejected?.problem },
  });
}

const toPage =
  (done: keyof typeof DONE) =>
  ({ params: { name } }: { params: { name: string } }): string =>
    `/admin/competitions/${name}/course/lti?done=${done}`;

export const courseLtiPages: readonly PageRoute[] = [
  lti,

  form({
    path: "/admin/competitions/:name/course/lti",
    on: lti,
    fields: z.object({ problem: z.string() }),
    async handle(call) {
      const { c, services, identity, params, fields } = call;
      const request = validated(LtiLinkRequest, fields.problem === "" ? {} : fields);
      const { problem, secret } = await createLink(services.database, identity, params.name, request);
      const { launchUrl } = ltiAddresses(originOf(c, services.site));
      return c.html(await render(call, { problem, launchUrl, parameter: `kernelbot=${secret}` }));
    },
  }),

  form({
    path: "/admin/competitions/:name/course/lti/send",
    on: lti,
    handle: ({ services, identity, params: { name } }) => sendGradesNow(services.database, identity, name),
    redirectTo: toPage("sending"),
  }),

  form({
    path: "/admin/competitions/:name/course/lti/revoke",
    on: lti,
    fields: z.object({ id: z.coerce.number().int() }),
    handle: ({ services, identity, params: { name }, fields: { id } }) =>
      revokeLink(services.database, identity, name, id),
    redirectTo: toPage("revoked"),
  }),
];
