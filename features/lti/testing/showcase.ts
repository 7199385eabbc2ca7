/** A learning platform with links to the course and its grades, one of which it refuses, a launch whose user has not chosen an account yet, and an activity that is being added. */
import { sql } from "kysely";
import { createLink } from "../links.ts";
import { setPlatform } from "../platforms.ts";
import { updateScores } from "../scores.ts";
import { hashOf, newSecret } from "@kernelbot/server/src/auth/secret.ts";
import { CLOSED } from "@kernelbot/testing/showcase/competitions.ts";
import type { FeatureShowcase, FeatureValues } from "@kernelbot/testing/showcase/example.ts";
import type { Stage } from "@kernelbot/testing/showcase/perform.ts";

const MOODLE = "https://moodle.example.edu";

export const ltiShowcase: FeatureShowcase = {
  fill: learningPlatform,
  pages: [
    {
      name: "lti-launch",
      route: "/lti/continue/:secret{[A-Za-z0-9_-]{43}}",
      path: ({ features }) => `/lti/continue/${features.launch}`,
      visitor: "stranger",
      title: /./,
    },
    {
      name: "lti-deep-link",
      route: "/lti/deep-link/:secret{[A-Za-z0-9_-]{43}}",
      path: ({ features }) => `/lti/deep-link/${features.deepLink}`,
      visitor: "organiser",
      title: "Add an activity",
    },
    {
      name: "lti-deep-link-waiting",
      route: "/lti/deep-link/:secret{[A-Za-z0-9_-]{43}}/response",
      path: ({ features }) => `/lti/deep-link/${features.deepLink}/response`,
      visitor: "stranger",
      title: "Add an activity",
    },
    {
      name: "admin-course-lti",
      route: "/admin/competitions/:name/course/lti",
      path: () => `/admin/competitions/${CLOSED}/course/lti`,
      visitor: "organiser",
      title: "Learning platforms of GPU programming laboratory",
    },
    {
      name: "admin-learning-platforms",
      route: "/admin/learning-platforms",
      path: () => "/admin/learning-platforms",
      visitor: "administrator",
      title: "Learning platforms",
    },
  ],
};

/** @returns the secrets of the launch, and of an activity that is being added. */
async function learningPlatform({ database, cast }: Stage): Promise<FeatureValues> {
  const platform = await setPlatform(database, cast.administrator, {
    ...{ name: "Moodle", issuer: MOODLE, clientId: "kRx2vT9mQ4", deployments: ["3"] },
    authorizeUrl: `${MOODLE}/mod/lti/auth.php`,
    tokenUrl: `${MOODLE}/mod/lti/token.php`,
    jwksUrl: `${MOODLE}/mod/lti/certs.php`,
  });
  const { id } = await createLink(database, cast.organiser, CLOSED, {});
  await createLink(database, cast.organiser, CLOSED, {});
  const scope = (name: string) => `https://purl.imsglobal.org/spec/lti-ags/scope/${name}`;
  await database.db
    .updateTable("lti_link")
    .set({
      ...{ platform_id: platform.id, deployment: "3", resource: "12", context: "7", context_title: "GPU lab" },
      ...{ line_items: `${MOODLE}/mod/lti/services.php/7/lineitems`, launched_at: new Date() },
      members: `${MOODLE}/mod/lti/services.php/CourseSection/7/bindings/3/memberships`,
      scopes: [scope("score"), scope("lineitem")],
    })
    .where("id", "=", id)
    .execute();
  await sql`
    insert into lti_member (competition, account_id, platform_id, context, subject)
    select competition, account_id, ${platform.id}::bigint, '7', account_id from course_student
    where competition = ${CLOSED} and account_id is not null`.execute(database.db);
  await updateScores(database, CLOSED);
  await sql`update lti_score set sent_points = points, sent_maximum = maximum, stamp = now()`.execute(database.db);
  await sql`
    update lti_score set sent_points = null, stamp = null, tries = 3, due_at = now() + interval '1 hour',
      error = 'the platform responded with 400: {"error":"Incorrect score"}'
    where id = (select min(id) from lti_score)`.execute(database.db);
  const secret = newSecret();
  await database.db
    .insertInto("lti_launch")
    .values({
      ...{ hash: hashOf(secret), browser_hash: hashOf(newSecret()), link_id: id, platform_id: platform.id },
      ...{
        context: "7",
        subject: "42",
        name: "Jana Novak",
        email: "jana.novak@example.edu",
        email_verified: true,
        is_student: true,
      },
      expires_at: new Date(Date.now() + 86_400_000),
    })
    .execute();
  const deepLink = newSecret();
  await database.db
    .insertInto("lti_deep_link")
    .values({
      ...{ hash: hashOf(deepLink), platform_id: platform.id, deployment: "3", context_title: "GPU lab" },
      ...{ return_url: `${MOODLE}/mod/lti/contentitem_return.php`, takes_column: true, opens_window: true },
      ...{ framed: true, expires_at: new Date(Date.now() + 86_400_000) },
    })
    .execute();
  return { launch: secret, deepLink };
}
