/** A learning platform with links to the course, and a launch whose user has not chosen an account yet. */
import { createLink } from "@kernelbot/server/src/lti/links.ts";
import { setPlatform } from "@kernelbot/server/src/lti/platforms.ts";
import { hashOf, newSecret } from "@kernelbot/server/src/auth/secret.ts";
import { CLOSED } from "./competitions.ts";
import type { Stage } from "./perform.ts";

const MOODLE = "https://moodle.example.edu";

/** @returns the secret of the launch. */
export async function learningPlatform({ database, cast }: Stage): Promise<string> {
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
      scopes: [scope("score"), scope("lineitem")],
    })
    .where("id", "=", id)
    .execute();
  const secret = newSecret();
  await database.db
    .insertInto("lti_launch")
    .values({
      ...{ hash: hashOf(secret), browser_hash: hashOf(newSecret()), link_id: id, platform_id: platform.id },
      ...{ context: "7", subject: "42", name: "Jana Novak", email: "jana.novak@example.edu", is_student: true },
      expires_at: new Date(Date.now() + 86_400_000),
    })
    .execute();
  return secret;
}
