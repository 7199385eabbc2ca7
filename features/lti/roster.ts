/** Takes over the members of platforms' courses as the roster of a course (LTI Names and Role Provisioning Services 2.0). */
import { sql } from "kysely";
import { KernelBotError, quote } from "@kernelbot/core";
import { MAX_STUDENTS } from "../courses/messages.ts";
import type { LtiRosterResult } from "./messages.ts";
import { z } from "zod";
import type { Identity } from "@kernelbot/server/src/auth/identity.ts";
import { requireOrganiser } from "@kernelbot/server/src/competitions/organisers.ts";
import { toRosterRow, type RosterRow } from "../courses/roster-csv.ts";
import { importStudents } from "../courses/roster.ts";
import type { Database } from "@kernelbot/server/src/db/database.ts";
import { idempotent } from "@kernelbot/server/src/db/idempotent.ts";
import { runTransaction } from "@kernelbot/server/src/db/transaction.ts";
import { isStudent, SCOPES } from "./claims.ts";
import type { Sign } from "./key.ts";
import { placeholderOf } from "./launch.ts";
import type { PlatformRow } from "./platforms.ts";
import { configurationOf } from "./protocol.ts";
import { pages, reasonOf } from "./service.ts";

const MEMBERS = "application/vnd.ims.lti-nrps.v2.membershipcontainer+json";
/** Time for all pages of a list. */
const LIST_MS = 60_000;

const Word = z.string().trim().max(300).optional().catch(undefined);
const Members = z.object({
  members: z.array(
    z.object({
      user_id: z.union([z.string(), z.number().transform(String)]).pipe(z.string().min(1).max(255)),
      status: z.string().default("Active"),
      roles: z.array(z.string()),
      ...{ name: Word, given_name: Word, family_name: Word, email: z.string().optional() },
    }),
  ),
});
type Member = z.infer<typeof Members>["members"][number];

/** A course of a platform whose members can be listed. */
interface Source {
  platform: PlatformRow;
  context: string;
  url: string;
}

/** Lists the courses of platforms whose members an organiser can take over, as `PLATFORM: TITLE`. */
export async function listRosterSources({ db }: Database, competition: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select distinct concat_ws(': ', p.name, l.context_title) as name
    from lti_link l join lti_platform p on p.id = l.platform_id
    where l.competition = ${competition} and l.revoked_at is null and l.members is not null order by 1`.execute(db);
  return rows.map(({ name }) => name);
}

/**
 * Adds the active students of the platforms' courses to the roster, and updates those that are on it. Others remain.
 * A student who opened the course from the platform keeps the address on the roster; one without an address gets a
 * placeholder. The first launch finds those whom the list added by their user at the platform.
 * @throws KernelBotError `forbidden` or `not_found` as `requireOrganiser`; `conflict` if no platform lists its members;
 * `unprocessable` if a platform does not respond.
 */
export async function importPlatformRoster(
  database: Database,
  sign: Sign,
  identity: Identity,
  competition: string,
): Promise<LtiRosterResult> {
  const sources = await findSources(database, identity, competition);
  const rows = new Map<string, RosterRow>();
  const rejected: LtiRosterResult["rejected"] = [];
  let others = 0;
  for (const source of sources) {
    const members = await listMembers(database, sign, source);
    const enrolled = await findEnrolled(database, competition, source);
    for (const member of members.filter(({ status }) => status === "Active")) {
      if (!isStudent(member.roles)) {
        others += 1;
        continue;
      }
      const name = nameOf(member);
      const user = placeholderOf(member.user_id, source.platform.id);
      try {
        const row = toRow(member, source, enrolled.get(member.user_id));
        const other = rows.get(row.email);
        if (other !== undefined && other.platformUser !== user)
          throw new Error(`${other.name} has the address ${row.email} too`);
        rows.set(row.email, { ...row, platformUser: user });
      } catch (error) {
        rejected.push({ member: name === "" ? member.user_id : name, reason: (error as Error).message });
      }
    }
  }
  return { ...(await importStudents(database, identity, competition, [...rows.values()])), others, rejected };
}

/** Returns the courses of platforms from which the course was opened, each by its last launch. */
async function findSources({ db }: Database, identity: Identity, competition: string): Promise<Source[]> {
  return runTransaction(idempotent(db), async (transaction) => {
    await requireOrganiser(transaction, identity, [competition]);
    const rows = await transaction
      .selectFrom("lti_link as l")
      .innerJoin("lti_platform as p", "p.id", "l.platform_id")
      .distinctOn(["l.platform_id", "l.context"])
      .selectAll("p")
      .select(["l.context", "l.members"])
      .where("l.competition", "=", competition)
      .where("l.revoked_at", "is", null)
      .where("l.members", "is not", null)
      .orderBy("l.platform_id")
      .orderBy("l.context")
      .orderBy("l.launched_at", "desc")
      .execute();
    if (rows.length === 0) {
      throw new KernelBotError(
        "conflict",
        `no learning platform lists the members of its course for ${competition}; allow the tool Names and Role Provisioning Services there, and open an activity of the course once`,
      );
    }
    return rows.map(({ context, members, ...platform }) => ({ platform, context: context ?? "", url: members ?? "" }));
  });
}

async function listMembers(database: Database, sign: Sign, { platform, url }: Source): Promise<Member[]> {
  const until = performance.now() + LIST_MS;
  const found: Member[] = [];
  try {
    const configuration = await configurationOf(database, sign, platform);
    const request = { scope: SCOPES.members, url: new URL(url), accept: MEMBERS };
    for await (const page of pages(configuration, request)) {
      const parsed = Members.safeParse(page);
      if (!parsed.success) {
        throw new Error(`its list of members is invalid at ${quote(parsed.error.issues[0]?.path.join(".") ?? "")}`);
      }
      for (const member of parsed.data.members) found.push(member);
      if (found.length > 2 * MAX_STUDENTS) throw new Error(`its course has more than ${2 * MAX_STUDENTS} members`);
      if (performance.now() > until) throw new Error(`it did not list all members within ${LIST_MS / 1000} s`);
    }
  } catch (error) {
    const reason = `${platform.name} did not list the members of its course: ${reasonOf(error)}; revoke its links to leave it out`;
    throw new KernelBotError("unprocessable", reason, { cause: error });
  }
  return found;
}

interface Enrolled {
  email: string;
  name: string;
}

/** Returns the students of the roster who opened the course from a platform, by their user id there. */
async function findEnrolled(
  { db }: Database,
  competition: string,
  { platform, context }: Source,
): Promise<Map<string, Enrolled>> {
  const rows = await db
    .selectFrom("lti_member as m")
    .innerJoin("course_student as s", (join) =>
      join.onRef("s.competition", "=", "m.competition").onRef("s.account_id", "=", "m.account_id"),
    )
    .select(["m.subject", "s.email", "s.name"])
    .where("m.competition", "=", competition)
    .where("m.platform_id", "=", platform.id)
    .where("m.context", "=", context)
    .execute();
  return new Map(rows.map(({ subject, email, name }) => [subject, { email, name }]));
}

function toRow(member: Member, { platform }: Source, enrolled: Enrolled | undefined): RosterRow {
  const { email, user_id: subject } = member;
  const address = email === undefined || email.trim() === "" ? placeholderOf(subject, platform.id) : email;
  const name = [nameOf(member), enrolled?.name ?? "", address].find((each) => each !== "");
  const row = toRosterRow({ name, email: address });
  return enrolled === undefined ? row : { ...row, email: enrolled.email };
}

function nameOf({ name, given_name: given, family_name: family }: Member): string {
  return name ?? [given, family].filter(Boolean).join(" ");
}
