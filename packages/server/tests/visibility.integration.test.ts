/**
 * Every path to an object follows the same visibility rule: its page, the API, its live stream and the popcorn routes.
 * Each kind of visitor requests each kind of object by every path; the responses are compared with each other and with
 * the rule in docs/explanation/visibility-and-trust.md.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { CompetitionSpec, type SubmitRequest } from "@kernelbot/core";
import { changeCompetition, createCompetition } from "../src/competitions/change.ts";
import { claimInvite, createInvites } from "../src/competitions/invites.ts";
import { joinTeam, createTeam } from "../src/competitions/teams.ts";
import type { Identity } from "../src/auth/identity.ts";
import { cancelSubmission } from "../src/submissions/cancel.ts";
import { publishEntry } from "../src/kernelbench/publish.ts";
import { ban } from "../src/moderation/ban.ts";
import { flagRun } from "../src/moderation/flag.ts";
import { removeAny } from "../src/moderation/remove.ts";
import { authenticate } from "../src/auth/tokens.ts";
import { readSubmission } from "../src/submissions/views.ts";
import { inHours } from "@kernelbot/testing/competitions.ts";
import {
  claimed,
  claimWait,
  failing,
  H100,
  passing,
  reported,
  runner,
  submitted,
} from "@kernelbot/testing/fixtures.ts";
import { entered, judgeAll, kernel, kernelPassing, withSuite } from "@kernelbot/testing/kernelbench.ts";
import { openTestServer, type TestServer } from "@kernelbot/testing/server-with-problems.ts";

const VISITORS = {
  anonymous: { member: false },
  participant: { member: true },
  outsider: { member: false },
  banned: { member: true },
  author: { member: true, isAuthor: true },
  teamMate: { member: true, isMate: true },
  organiser: { member: true, isOrganiser: true },
  otherOrganiser: { member: false },
  moderator: { member: true, seesAll: true },
  administrator: { member: true, seesAll: true },
} satisfies Record<string, Traits>;
interface Traits {
  member: boolean;
  isAuthor?: boolean;
  isMate?: boolean;
  isOrganiser?: boolean;
  seesAll?: boolean;
}
type Visitor = keyof typeof VISITORS;
const NAMES = Object.keys(VISITORS) as Visitor[];
const traitsOf = (visitor: Visitor): Traits => VISITORS[visitor];

/** Submissions of the author, by outcome. `isEntry`: a ranked run passed and it is not removed. */
const SUBMISSIONS = {
  "passed test": { mode: "test", isEntry: false },
  "failed test": { mode: "test", isEntry: false },
  benchmark: { mode: "benchmark", isEntry: false },
  profile: { mode: "profile", isEntry: false },
  "queued entry": { mode: "ranked", isEntry: false },
  "running entry": { mode: "ranked", isEntry: false },
  "failed entry": { mode: "ranked", isEntry: false },
  "cancelled entry": { mode: "ranked", isEntry: false },
  "removed entry": { mode: "ranked", isEntry: false, isRemoved: true },
  "quarantined entry": { mode: "ranked", isEntry: false },
  "superseded entry": { mode: "ranked", isEntry: true },
  entry: { mode: "ranked", isEntry: true },
  "frozen entry": { mode: "ranked", isEntry: true, isFrozen: true },
} satisfies Record<string, Kind>;
interface Kind {
  mode: SubmitRequest["mode"];
  isEntry: boolean;
  isRemoved?: boolean;
  isFrozen?: boolean;
}
type Name = keyof typeof SUBMISSIONS;
const kindOf = (name: Name): Kind => SUBMISSIONS[name];

let testServer: TestServer;
const tokens = {} as Record<Visitor, string | undefined>;
const people = {} as Record<Exclude<Visitor, "anonymous">, Identity>;
const ids = {} as Record<Name, { id: number; runId: number }>;
const entries = {} as Record<"draft" | "published", { id: number; submission: number; runId: number }>;
let spec: CompetitionSpec;

beforeAll(async () => {
  testServer = await openTestServer();
  const { database } = testServer;
  const roles = { organiser: ["organiser"], otherOrganiser: ["organiser"], moderator: ["moderator"] } as const;
  for (const visitor of NAMES) {
    if (visitor === "anonymous") continue;
    const own = visitor in roles ? [...roles[visitor as keyof typeof roles]] : undefined;
    const admin = own !== undefined || visitor === "administrator" ? (["admin"] as const) : [];
    tokens[visitor] = await testServer.token(visitor, ["submit", "read", ...admin], [], own);
    people[visitor] = await authenticate(database, tokens[visitor]);
  }
  const box = await runner(database);
  const { author, organiser, otherOrganiser, administrator } = people;
  spec = CompetitionSpec.parse({
    ...{ name: "spring", title: "Spring", startsAt: inHours(-1), endsAt: inHours(1), problems: ["triple"] },
    ...{ visibility: "closed", teamSize: 2 },
  });
  await createCompetition(database, organiser, spec);
  await createCompetition(database, otherOrganiser, { ...spec, name: "autumn", problems: [] });
  const members = NAMES.filter((name) => traitsOf(name).member && name !== "anonymous" && name !== "organiser");
  const { codes } = await createInvites(database, organiser, { competitions: ["spring"], count: members.length });
  for (const [index, name] of members.entries()) {
    await claimInvite(database, people[name as Exclude<Visitor, "anonymous">], codes[index] as string);
  }
  const team = await createTeam(database, author, "spring", "Fast ones");
  await joinTeam(database, people.teamMate, "spring", team.code as string);
  await ban(database, administrator, { account: "banned", reason: "it cheated" });

  const judge = async (name: Name, end?: Parameters<typeof reported>[3]): Promise<void> => {
    const id = await submitted(database, author, { board: "triple", mode: kindOf(name).mode });
    const run = await claimed(database, box);
    ids[name] = { id, runId: run.runId };
    if (name === "profile") {
      await database.sql`insert into artifact (run_id, attempt, name, media_type, size_bytes, hash)
        values (${run.runId}, 1, 'profile.0.txt', 'text/plain', 1, sha256('x'))`;
    }
    if (end !== undefined) await reported(database, box, run, end);
  };
  const unclaimed = async (): Promise<{ id: number; runId: number }> => {
    const id = await submitted(database, author, { board: "triple", mode: "ranked" });
    const [run] = await database.sql<{ id: number }>`select id from run where submission_id = ${id}`;
    return { id, runId: run?.id ?? 0 };
  };
  await testServer.store.put(
    (async function* () {
      yield Buffer.from("x");
    })(),
    10,
  );
  await judge("passed test", passing("test"));
  await judge("failed test", failing("wrong_result"));
  await judge("benchmark", passing("benchmark"));
  await judge("profile", passing("profile"));
  await judge("failed entry", failing("crash"));
  await judge("superseded entry", passing("ranked", [500, 500]));
  await judge("entry", passing("ranked", [400, 400]));
  await judge("removed entry", passing("ranked", [300, 300]));
  await judge("quarantined entry", passing("ranked", [200, 200]));
  await removeAny(database, administrator, ids["removed entry"].id, { reason: "copied" });
  await flagRun(database, people.moderator, ids["quarantined entry"].runId, "too fast");
  await judge("running entry");
  ids["cancelled entry"] = await unclaimed();
  await cancelSubmission(database, author, ids["cancelled entry"].id);
  const freezeAt = inHours(0);
  await changeCompetition(database, organiser, { ...spec, freezeAt });
  spec = { ...spec, freezeAt };
  const id = await submitted(database, author, { board: "triple", mode: "ranked", targets: ["H100"] });
  const run = await claimed(database, box, "H100");
  await reported(database, box, run, passing("ranked", [100, 100]));
  ids["frozen entry"] = { id, runId: run.runId };

  await withSuite(database, organiser);
  for (const name of ["published", "draft"] as const) {
    const kernels = { level_1_problem_1_sample_0: kernel(name === "published" ? 1 : 2) };
    const entry = await entered(database, author, { metadata: { run_name: name }, kernels });
    if (name === "published") await judgeAll(database, box, 1, () => kernelPassing(100));
    const [judged] = await database.sql<{ submission_id: number; run_id: number }>`
      select k.submission_id, r.id as run_id from kernelbench_kernel k join run r on r.submission_id = k.submission_id
      where k.entry_id = ${entry.id}`;
    entries[name] = { id: entry.id, submission: judged?.submission_id ?? 0, runId: judged?.run_id ?? 0 };
  }
  await publishEntry(database, author, entries.published.id);
  ids["queued entry"] = await unclaimed();
  await claimWait(database, box, { target: "H100", runner: "box", machine: H100, waitMs: 0 });
}, 120_000);
// Comparisons are limited per account.
beforeEach(() => testServer.database.sql`delete from throttle`);
afterAll(() => testServer[Symbol.asyncDispose]());

/** Returns whether the visitor may read the object at a path. A stream is closed as soon as it begins. */
async function sees(visitor: Visitor, path: string): Promise<boolean> {
  const token = tokens[visitor];
  const headers: Record<string, string> = token === undefined ? {} : { "x-popcorn-cli-id": token };
  const response = await testServer.ask(path, token, { headers });
  await response.body?.cancel();
  expect([path, response.status]).toEqual([
    path,
    expect.toSatisfy((it) => [200, 401, 403, 404].includes(it as number)),
  ]);
  return response.status === 200;
}

/** Returns for each path whether the visitor may read it. */
async function answersOf(visitor: Visitor, paths: readonly string[]): Promise<Record<string, boolean>> {
  const answers: Record<string, boolean> = {};
  for (const path of paths) answers[path] = await sees(visitor, path);
  return answers;
}

const all = (paths: readonly string[], expected: boolean): Record<string, boolean> =>
  Object.fromEntries(paths.map((path) => [path, expected]));

const outcomePaths = (id: number, runId: number) => [
  `/submissions/${id}`,
  `/submissions/${id}/updates?after=9999`,
  `/api/v1/submissions/${id}`,
  `/api/v1/runs/${runId}`,
];
const eventPaths = (id: number) => [`/api/v1/submissions/${id}/events?after=9999`];
/** Paths of the popcorn client, for which a removed submission does not exist. */
const popcornPaths = (id: number) => [`/user/submissions/${id}`];
const sourcePaths = (id: number) => [`/submissions/${id}/source`, `/api/v1/submissions/${id}/source`];
const comparePaths = (id: number) => [`/compare/${id}/${id}`, `/api/v1/compare?a=${id}&b=${id}`];

describe.each(["closed", "public"] as const)("in a competition that is %s", (visibility) => {
  beforeAll(async () => {
    await changeCompetition(testServer.database, people.organiser, { ...spec, visibility });
  });

  test.each(NAMES)("%s", async (visitor) => {
    const { member, isAuthor, isMate, isOrganiser, seesAll } = traitsOf(visitor);
    const reaches = member || visibility !== "closed";
    for (const name of Object.keys(SUBMISSIONS) as Name[]) {
      const { id, runId } = ids[name];
      const { isEntry, isRemoved, isFrozen, mode } = kindOf(name);
      const isWhole = seesAll === true || isAuthor === true;
      const isUnhidden = isFrozen !== true || isMate === true || isOrganiser === true;
      const hasOutcome = isWhole || (reaches && isRemoved !== true && isUnhidden && (isEntry || isOrganiser === true));
      const paths = outcomePaths(id, runId);
      expect({ name, ...(await answersOf(visitor, paths)) }).toEqual({ name, ...all(paths, hasOutcome) });
      const whole = { ...all(eventPaths(id), isWhole), ...all(popcornPaths(id), isWhole && isRemoved !== true) };
      expect({ name, ...(await answersOf(visitor, Object.keys(whole))) }).toEqual({ name, ...whole });
      // The rule of the competition opens sources after its end.
      const sources = [...sourcePaths(id), ...comparePaths(id)];
      expect({ name, ...(await answersOf(visitor, sources)) }).toEqual({ name, ...all(sources, isWhole) });
      const admin = [`/admin/submissions/${id}`];
      expect(await answersOf(visitor, admin)).toEqual(all(admin, seesAll === true));
      if (mode === "ranked" && isEntry) {
        const receipt = [`/api/v1/runs/${runId}/receipt`];
        expect({ name, ...(await answersOf(visitor, receipt)) }).toEqual({ name, ...all(receipt, hasOutcome) });
      }
      if (name === "profile") {
        const artifact = [`/api/v1/runs/${runId}/artifacts/profile.0.txt`];
        expect(await answersOf(visitor, artifact)).toEqual(all(artifact, isWhole));
      }
    }
  });

  test.each(NAMES)("%s: the problem, its boards and its competition", async (visitor) => {
    const reaches = traitsOf(visitor).member || visibility !== "closed";
    const paths = [
      ...["/problems/triple", "/api/v1/problems/triple", "/gpus/triple", "/problems/triple/files/reference.py"],
      ...["/boards/triple/cpu", "/boards/triple/cpu/updates?after=9999", "/api/v1/boards/triple/cpu"],
      ...["/api/v1/boards/triple/cpu/history", "/submissions/triple/cpu", "/submission_count/triple/cpu"],
      ...["/live?board=triple/cpu", "/competitions/spring", "/api/v1/competitions/spring"],
      ...["/competitions/spring/teams", "/api/v1/competitions/spring/teams", "/api/v1/problems/triple/limits"],
    ];
    expect(await answersOf(visitor, paths)).toEqual(all(paths, reaches));
    const { isOrganiser, seesAll } = traitsOf(visitor);
    const mayManage = isOrganiser === true || visitor === "administrator";
    expect({ visitor, seesAll, ...(await answersOf(visitor, ["/admin/competitions/spring/invites"])) }).toEqual({
      ...{ visitor, seesAll },
      ...all(["/admin/competitions/spring/invites"], mayManage),
    });
  });

  test.each(NAMES)("%s: what lists and records name", async (visitor) => {
    const isListed = traitsOf(visitor).member || visibility === "public";
    const lists = ["/leaderboards", "/api/v1/boards", "/api/v1/problems", "/problems", "/"];
    const records = [`/people/${people.author.account.id}`, `/api/v1/accounts/${people.author.account.id}`];
    const token = tokens[visitor];
    for (const path of [...lists, ...records]) {
      const headers: Record<string, string> = token === undefined ? {} : { "x-popcorn-cli-id": token };
      const text = await (await testServer.ask(path, token, { headers })).text();
      expect([path, text.includes("triple")]).toEqual([path, isListed]);
    }
  });
});

test.each(NAMES)("%s: entries of KernelBench and their kernels", async (visitor) => {
  const { isAuthor, seesAll } = traitsOf(visitor);
  const isWhole = isAuthor === true || seesAll === true;
  for (const name of ["draft", "published"] as const) {
    const { id, submission, runId } = entries[name];
    const visible = isWhole || name === "published";
    const paths = [
      ...[`/kernelbench/entries/${id}`, `/kernelbench/entries/${id}/updates?after=9999`],
      ...[`/api/v1/kernelbench/entries/${id}`, `/api/v1/kernelbench/entries/${id}/results`],
      ...outcomePaths(submission, runId),
      ...sourcePaths(submission),
    ];
    expect({ name, ...(await answersOf(visitor, paths)) }).toEqual({ name, ...all(paths, visible) });
    const compared = comparePaths(submission);
    expect(await answersOf(visitor, compared)).toEqual(all(compared, visible && visitor !== "anonymous"));
    const whole = [...eventPaths(submission), ...popcornPaths(submission)];
    expect(await answersOf(visitor, whole)).toEqual(all(whole, isWhole));
  }
});

test.each(NAMES)("%s: the page of a runner and the API", async (visitor) => {
  const [joined] = await testServer.database.sql<{ id: number }>`select id from runner`;
  const paths = [`/admin/runners/${joined?.id}`, `/api/v1/runners/${joined?.id}`];
  expect(await answersOf(visitor, paths)).toEqual(all(paths, visitor === "administrator"));
});

test("other viewers see an entry without its messages and output, on its page and over the API", async () => {
  const { database } = testServer;
  // Other queued runs would be claimed first.
  await database.sql`update run set state = 'cancelled', finished_at = now() where state = 'queued'`;
  const box = await runner(database);
  const id = await submitted(database, people.author, { mode: "ranked", targets: ["cpu", "H100"] });
  await reported(database, box, await claimed(database, box), passing("ranked"));
  await reported(database, box, await claimed(database, box, "H100"), failing("crash", "secret words"));
  const inUse = { state: "not_validated", reason: "secret words", held: 0, cases: [], speedup: null };
  await database.sql`insert into application_result (code_hash, language, problem_version, target, validation, is_validated, unsandboxed)
    select s.code_hash, 'py', r.problem_version, r.target, ${JSON.stringify(inUse)}::text::json, false, false
    from run r join submission s on s.id = r.submission_id where s.id = ${id} and r.target = 'cpu'`;
  const { runs = [] } = (await readSubmission(database, id)) ?? {};
  const paths = runs.map((run) => `/api/v1/runs/${run.id}`);
  expect(paths).toHaveLength(2);
  for (const path of [`/submissions/${id}`, `/api/v1/submissions/${id}`, ...paths]) {
    const read = async (visitor: Visitor) => {
      const response = await testServer.ask(path, tokens[visitor]);
      expect([path, visitor, response.status]).toEqual([path, visitor, 200]);
      return response.text();
    };
    expect([path, (await read("author")).includes("secret words")]).toEqual([path, true]);
    for (const visitor of ["anonymous", "outsider"] as const) {
      expect([path, (await read(visitor)).includes("secret words")]).toEqual([path, false]);
    }
  }
});
