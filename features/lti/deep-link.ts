/**
 * Deep linking (LTI Deep Linking 2.0): a teacher creates an activity at a platform and chooses here what it opens.
 *
 *     platform --POST /lti/launch--> /lti/deep-link/SECRET, where an organiser chooses
 *     /lti/deep-link/SECRET/response --form with a signed token--> platform, which creates the activity
 *
 * Platforms often open the first page in a frame, where browsers send no cookies. The organiser chooses in a window of its
 * own then, and the frame, which waits at the second page, returns the choice.
 */
import { SignJWT } from "jose";
import { sql } from "kysely";
import { KernelBotError } from "@kernelbot/core";
import { maximumPoints } from "../courses/grade.ts";
import type { Course } from "../courses/messages.ts";
import type { Identity } from "@kernelbot/server/src/auth/identity.ts";
import { hashOf, newSecret } from "@kernelbot/server/src/auth/secret.ts";
import { listOrganised } from "@kernelbot/server/src/competitions/competitions.ts";
import { findCourse } from "../courses/courses.ts";
import type { Database } from "@kernelbot/server/src/db/database.ts";
import { runTransaction } from "@kernelbot/server/src/db/transaction.ts";
import { deepLinkResponse, parseDeepLinkRequest } from "./claims.ts";
import { toolKey, type Sign } from "./key.ts";
import { insertLink } from "./links.ts";
import { inSeconds, requireDeployment, type VerifiedMessage } from "./login.ts";

/** Time to sign in and to choose. */
const CHOICE_S = 3600;
/** Time for the browser to post the response. */
const RESPONSE_S = 300;

/**
 * Records a verified request. @returns the secret of its pages.
 * @throws KernelBotError `forbidden` if the user is not a teacher; `unprocessable` or `not_found` for an invalid request.
 */
export async function acceptDeepLink(
  { db }: Database,
  { platform, claims }: VerifiedMessage,
  isFramed: boolean,
): Promise<string> {
  const request = parseDeepLinkRequest(claims);
  requireDeployment(platform, request.deployment);
  if (!request.isTeacher) {
    throw new KernelBotError(
      "forbidden",
      `only teachers choose what an activity opens, and ${platform.name} did not identify you as a teacher of this course`,
    );
  }
  if (!request.acceptsLink) {
    throw new KernelBotError(
      "unprocessable",
      `${platform.name} does not accept activities of external tools here; add the tool as an activity of a course`,
    );
  }
  const secret = newSecret();
  await db
    .insertInto("lti_deep_link")
    .values({
      ...{ hash: hashOf(secret), platform_id: platform.id, deployment: request.deployment, framed: isFramed },
      ...{ return_url: request.returnUrl, data: request.data, context_title: request.contextTitle },
      ...{ takes_column: request.takesColumn, opens_window: request.opensWindow, expires_at: inSeconds(CHOICE_S) },
    })
    .execute();
  return secret;
}

/** A request as its pages show it. */
interface DeepLink {
  platform: string;
  /** Title of the platform's course, where it sends one. */
  contextTitle: string | null;
  isFramed: boolean;
  /** Link that was created for the choice; null before. */
  linkId: number | null;
}

/** Returns a request that is not answered yet. @throws KernelBotError `not_found`. */
export async function readDeepLink({ db }: Database, secret: string): Promise<DeepLink> {
  const row = await db
    .selectFrom("lti_deep_link as d")
    .innerJoin("lti_platform as p", "p.id", "d.platform_id")
    .select(["p.name as platform", "d.context_title as contextTitle", "d.framed as isFramed", "d.link_id as linkId"])
    .where("d.hash", "=", hashOf(secret))
    .where("d.expires_at", ">", sql<Date>`now()`)
    .executeTakeFirst();
  if (row === undefined) throw unknownRequest();
  return row;
}

/** Lists the courses that the caller organises, which an activity can open; empty for other accounts. */
export async function listOwnCourses(
  database: Database,
  identity: Identity,
): Promise<{ title: string; course: Course }[]> {
  if (!identity.roles.some((role) => role === "organiser" || role === "administrator")) return [];
  const competitions = await listOrganised(database, identity);
  const courses = await Promise.all(
    competitions.map(async ({ name, title }) => ({ title, course: await findCourse(database.db, name) })),
  );
  return courses.flatMap(({ title, course }) => (course === null ? [] : [{ title, course }]));
}

/**
 * Chooses what the activity opens: an assignment, or a whole course.
 * @throws KernelBotError `not_found` for an unknown request or assignment; `forbidden` or `not_found` as `requireOrganiser`.
 */
export async function chooseDeepLink(
  { db }: Database,
  identity: Identity,
  secret: string,
  { competition, problem }: { competition: string; problem: string | undefined },
): Promise<void> {
  await runTransaction(db, async (transaction) => {
    const { id } = await insertLink(transaction, identity, competition, { problem });
    const row = await transaction
      .updateTable("lti_deep_link")
      .set({ link_id: id })
      .where("hash", "=", hashOf(secret))
      .where("expires_at", ">", sql<Date>`now()`)
      .where("link_id", "is", null)
      .returning("link_id")
      .executeTakeFirst();
    if (row === undefined) throw unknownRequest();
  });
}

/**
 * Answers a request with the activity that was chosen. The request ends, and the link of the activity gets its secret.
 * @param launchUrl Address of this server that the activity opens.
 * @returns the address to which the browser posts the token as `JWT`.
 * @throws KernelBotError `not_found` if the request is unknown, or nothing was chosen.
 */
export async function answerDeepLink(
  database: Database,
  sign: Sign,
  secret: string,
  launchUrl: string,
): Promise<{ returnUrl: string; token: string }> {
  const { privateKey, kid } = await toolKey(database, sign);
  return runTransaction(database.db, async (transaction) => {
    const request = await transaction
      .deleteFrom("lti_deep_link as d")
      .using("lti_platform as p")
      .whereRef("p.id", "=", "d.platform_id")
      .where("d.hash", "=", hashOf(secret))
      .where("d.expires_at", ">", sql<Date>`now()`)
      .where("d.link_id", "is not", null)
      .returning(["d.return_url", "d.data", "d.deployment", "d.takes_column", "d.opens_window", "d.link_id"])
      .returning(["p.issuer", "p.client_id"])
      .executeTakeFirst();
    if (request === undefined) throw unknownRequest();
    const linkSecret = newSecret();
    const { competition, problem } = await transaction
      .updateTable("lti_link")
      .set({ hash: hashOf(linkSecret) })
      .where("id", "=", request.link_id)
      .returning(["competition", "problem"])
      .executeTakeFirstOrThrow();
    const { title } = await transaction
      .selectFrom("competition")
      .select("title")
      .where("name", "=", competition)
      .executeTakeFirstOrThrow();
    const course = await findCourse(transaction, competition);
    const assignment = course?.assignments.find((each) => each.problem === problem);
    const scoreMaximum = assignment === undefined ? 0 : maximumPoints(assignment);
    const item = {
      type: "ltiResourceLink",
      title: problem ?? title,
      url: launchUrl,
      custom: { kernelbot: linkSecret },
      ...(request.opens_window && { window: { targetName: "_blank" } }),
      ...(request.takes_column &&
        scoreMaximum > 0 && {
          lineItem: { scoreMaximum, label: problem, resourceId: `${competition}/${problem}`, tag: "kernelbot" },
        }),
    };
    const token = await new SignJWT({ ...deepLinkResponse(request, item), nonce: newSecret() })
      .setProtectedHeader({ alg: "RS256", typ: "JWT", kid })
      .setIssuer(request.client_id)
      .setAudience(request.issuer)
      .setIssuedAt()
      .setExpirationTime(`${RESPONSE_S} s`)
      .sign(privateKey);
    return { returnUrl: request.return_url, token };
  });
}

function unknownRequest(): KernelBotError {
  return new KernelBotError(
    "not_found",
    "this choice has expired or was already made; add the activity in your learning platform again",
  );
}
