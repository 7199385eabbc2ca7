/**
 * Closed competitions do not exist for outsiders: each list and each path, requested by an anonymous caller, another
 * participant, a member, an organiser and an administrator. A GET route that is missing from the tables here fails the
 * test.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import { CompetitionSpec } from "@kernelbot/core";
import { changeCompetition, createCompetition } from "../src/competitions/change.ts";
import { claimInvite, createInvites, revokeInvite } from "../src/competitions/invites.ts";
import { claimed, passing, reported, request, runner, submitted } from "@kernelbot/testing/fixtures.ts";
import type { Identity } from "../src/auth/identity.ts";
import { authenticate } from "../src/auth/tokens.ts";
import { openSession } from "../src/evaluations/sessions/sessions.ts";
import { readTranscript } from "../src/evaluations/sessions/transcript.ts";
import { openTestServer, type TestServer } from "@kernelbot/testing/server-with-problems.ts";

let testServer: TestServer;
/** Tokens; a stranger is anonymous. */
let tokens: Record<"stranger" | "outsider" | "member" | "organiser" | "administrator", string | undefined>;
let olga: Identity;
let member: Identity;
let submission: number;
let runId: number;

const SPEC = CompetitionSpec.parse({
  name: "spring",
  title: "Spring kernels",
  startsAt: "2020-01-01T00:00:00Z",
  endsAt: "2100-01-01T00:00:00Z",
  problems: ["triple"],
});

/** Creates the competition spring with the problem triple, and a ranked and a profile submission of the member. */
beforeAll(async () => {
  testServer = await openTestServer();
  const { database } = testServer;
  tokens = {
    stranger: undefined,
    outsider: await testServer.token("outsider"),
    member: await testServer.token("member"),
    organiser: await testServer.token("olga", ["submit", "read", "admin"], [], ["organiser"]),
    administrator: await testServer.token("root", ["read", "admin"]),
  };
  olga = await authenticate(database, tokens.organiser ?? "");
  member = await authenticate(database, tokens.member ?? "");
  const box = await runner(database);
  await createCompetition(database, olga, SPEC);
  const assignment = { problem: "triple", target: "cpu", dueAt: "2099-01-01T00:00:00Z" };
  await testServer.ask("/api/v1/competitions/spring/course", tokens.organiser, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ competition: "spring", assignments: [assignment] }),
  });
  const { codes } = await createInvites(database, olga, { competitions: ["spring"], count: 1 });
  await claimInvite(database, member, codes[0] ?? "");
  submission = await submitted(database, member, { board: "triple", mode: "ranked" });
  const run = await claimed(database, box);
  ({ runId } = run);
  await reported(database, box, run, passing("ranked"));
  await database.sql`insert into artifact (run_id, attempt, name, media_type, size_bytes, hash)
    values (${runId}, 1, 'profile.0.txt', 'text/plain', 1, sha256('x'))`;
  const opening = { problem: "double", target: "cpu", maxEvaluations: 1, maxSeconds: 1 };
  const { id: session } = await openSession(database, member, opening);
  await database.sql`insert into transcript (submission_id, session_id, document)
    select ${submission}, ${session}, ${JSON.stringify(await readTranscript(database, member, session))}::text::json`;
  await testServer.store.put(
    (async function* () {
      yield Buffer.from("x");
    })(),
    10,
  );
});
afterAll(() => testServer[Symbol.asyncDispose]());

async function setVisibility(visibility: CompetitionSpec["visibility"]): Promise<void> {
  await changeCompetition(testServer.database, olga, { ...SPEC, visibility });
}

/** By route: the paths that belong to the competition, and the callers for whom they exist while it is closed. */
const EVERY_MEMBER = ["member", "organiser", "administrator"];
const ADDRESSES: Record<string, { path: () => string; found: string[]; refused?: Record<string, number> }> = {
  "/api/v1/competitions/:name": { path: () => "/api/v1/competitions/spring", found: EVERY_MEMBER },
  "/api/v1/competitions/:name/course": { path: () => "/api/v1/competitions/spring/course", found: EVERY_MEMBER },
  "/api/v1/competitions/:name/course/me": {
    path: () => "/api/v1/competitions/spring/course/me",
    found: EVERY_MEMBER,
    refused: { stranger: 401 },
  },
  "/api/v1/competitions/:name/course/students": {
    path: () => "/api/v1/competitions/spring/course/students",
    found: ["organiser", "administrator"],
    refused: { stranger: 401, outsider: 403, member: 403 },
  },
  "/api/v1/competitions/:name/course/similar": {
    path: () => "/api/v1/competitions/spring/course/similar?problem=triple",
    found: ["organiser", "administrator"],
    refused: { stranger: 401, outsider: 403, member: 403 },
  },
  "/api/v1/competitions/:name/course/lti": {
    path: () => "/api/v1/competitions/spring/course/lti",
    found: ["organiser", "administrator"],
    refused: { stranger: 401, outsider: 403, member: 403 },
  },
  "/api/v1/competitions/:name/invites": {
    path: () => "/api/v1/competitions/spring/invites",
    found: ["organiser", "administrator"],
    refused: { stranger: 401, outsider: 403, member: 403 },
  },
  "/api/v1/competitions/:name/invite-links": {
    path: () => "/api/v1/competitions/spring/invite-links",
    found: ["organiser", "administrator"],
    refused: { stranger: 401, outsider: 403, member: 403 },
  },
  "/api/v1/competitions/:name/teams": { path: () => "/api/v1/competitions/spring/teams", found: EVERY_MEMBER },
  "/api/v1/problems/:name/limits": { path: () => "/api/v1/problems/triple/limits", found: EVERY_MEMBER },
  "/api/v1/problems/:name": { path: () => "/api/v1/problems/triple", found: EVERY_MEMBER },
  "/openenv/:problem/health": { path: () => "/openenv/triple/health", found: EVERY_MEMBER },
  "/openenv/:problem/metadata": { path: () => "/openenv/triple/metadata", found: EVERY_MEMBER },
  "/api/v1/boards/:board/:target/history": { path: () => "/api/v1/boards/triple/cpu/history", found: EVERY_MEMBER },
  "/api/v1/boards/:board/:target": { path: () => "/api/v1/boards/triple/cpu", found: EVERY_MEMBER },
  "/api/v1/submissions/:id": {
    path: () => `/api/v1/submissions/${submission}`,
    found: EVERY_MEMBER,
    refused: { stranger: 401 },
  },
  "/api/v1/submissions/:id/licence": {
    path: () => `/api/v1/submissions/${submission}/licence`,
    found: ["member"],
    refused: { stranger: 401 },
  },
  "/api/v1/submissions/:id/source": {
    path: () => `/api/v1/submissions/${submission}/source`,
    found: ["member", "administrator"],
    // Organisers see that the source exists.
    refused: { organiser: 403 },
  },
  "/api/v1/submissions/:id/profile": {
    path: () => `/api/v1/submissions/${submission}/profile`,
    found: ["member", "administrator"],
    refused: { stranger: 401 },
  },
  "/api/v1/submissions/:id/transcript": {
    path: () => `/api/v1/submissions/${submission}/transcript`,
    found: ["member", "administrator"],
    refused: { organiser: 403 },
  },
  "/api/v1/submissions/:id/events": {
    path: () => `/api/v1/submissions/${submission}/events?after=9999`,
    found: ["member", "administrator"],
    refused: { stranger: 401 },
  },
  "/api/v1/runs/:id": {
    path: () => `/api/v1/runs/${runId}`,
    found: EVERY_MEMBER,
    refused: { stranger: 401 },
  },
  "/api/v1/runs/:id/artifacts/:name": {
    path: () => `/api/v1/runs/${runId}/artifacts/profile.0.txt`,
    found: ["member", "administrator"],
    refused: { stranger: 401 },
  },
  "/api/v1/runs/:id/receipt": { path: () => `/api/v1/runs/${runId}/receipt`, found: EVERY_MEMBER },
  "/api/v1/accounts/:id": { path: () => `/api/v1/accounts/${member.account.id}`, found: EVERY_MEMBER },
  "/people/:id": { path: () => `/people/${member.account.id}`, found: EVERY_MEMBER },
  "/live": { path: () => "/live?board=triple/cpu", found: EVERY_MEMBER },
  "/api/v1/compare": {
    path: () => `/api/v1/compare?a=${submission}&b=${submission}`,
    found: ["member", "administrator"],
    refused: { stranger: 401 },
  },
  "/compare/:a{[0-9]+}/:b{[0-9]+}": {
    path: () => `/compare/${submission}/${submission}`,
    found: ["member", "administrator"],
    refused: { stranger: 401 },
  },
  "/gpus/:leaderboard": { path: () => "/gpus/triple", found: EVERY_MEMBER },
  "/submissions/:leaderboard/:gpu": { path: () => "/submissions/triple/cpu", found: EVERY_MEMBER },
  "/submission_count/:leaderboard/:gpu": { path: () => "/submission_count/triple/cpu", found: EVERY_MEMBER },
  "/user/submissions/:id": {
    path: () => `/user/submissions/${submission}`,
    found: ["member", "administrator"],
    refused: { stranger: 401 },
  },
  "/admin/submissions/:id": {
    path: () => `/admin/submissions/${submission}`,
    found: ["administrator"],
    refused: { stranger: 401, outsider: 403, member: 403, organiser: 403 },
  },
  "/admin/leaderboards/:leaderboard/submissions": {
    path: () => "/admin/leaderboards/triple/submissions",
    found: ["administrator"],
    refused: { stranger: 401, outsider: 403, member: 403, organiser: 403 },
  },
  "/admin/leaderboards/:leaderboard/invites": {
    path: () => "/admin/leaderboards/triple/invites",
    found: ["organiser", "administrator"],
    refused: { stranger: 401, outsider: 403, member: 403 },
  },
  "/admin/leaderboards/:leaderboard/rate-limits": {
    path: () => "/admin/leaderboards/triple/rate-limits",
    found: ["organiser", "administrator"],
    refused: { stranger: 401, outsider: 403, member: 403 },
  },
  "/competitions/:name": { path: () => "/competitions/spring", found: EVERY_MEMBER },
  // Feeds are for readers without an account.
  "/competitions/:name/feed.atom": { path: () => "/competitions/spring/feed.atom", found: [] },
  "/boards/:board/:target/feed.atom": { path: () => "/boards/triple/cpu/feed.atom", found: [] },
  "/competitions/:name/teams": { path: () => "/competitions/spring/teams", found: EVERY_MEMBER },
  "/admin": {
    path: () => "/admin",
    found: ["organiser", "administrator"],
    refused: { stranger: 401, outsider: 403, member: 403 },
  },
  "/admin/competitions": {
    path: () => "/admin/competitions",
    found: ["organiser", "administrator"],
    refused: { stranger: 401, outsider: 403, member: 403 },
  },
  "/admin/competitions/new": {
    path: () => "/admin/competitions/new",
    found: ["organiser", "administrator"],
    refused: { stranger: 401, outsider: 403, member: 403 },
  },
  "/admin/problems": {
    path: () => "/admin/problems",
    found: ["organiser", "administrator"],
    refused: { stranger: 401, outsider: 403, member: 403 },
  },
  "/admin/competitions/:name": {
    path: () => "/admin/competitions/spring",
    found: ["organiser", "administrator"],
    refused: { stranger: 401, outsider: 403, member: 403 },
  },
  "/admin/competitions/:name/course": {
    path: () => "/admin/competitions/spring/course",
    found: ["organiser", "administrator"],
    refused: { stranger: 401, outsider: 403, member: 403 },
  },
  "/admin/competitions/:name/course/grades.csv": {
    path: () => "/admin/competitions/spring/course/grades.csv",
    found: ["organiser", "administrator"],
    refused: { stranger: 401, outsider: 403, member: 403 },
  },
  "/admin/competitions/:name/course/lti": {
    path: () => "/admin/competitions/spring/course/lti",
    found: ["organiser", "administrator"],
    refused: { stranger: 401, outsider: 403, member: 403 },
  },
  "/admin/competitions/:name/course/similar/:problem": {
    path: () => "/admin/competitions/spring/course/similar/triple",
    found: ["organiser", "administrator"],
    refused: { stranger: 401, outsider: 403, member: 403 },
  },
  "/admin/competitions/:name/invites": {
    path: () => "/admin/competitions/spring/invites",
    found: ["organiser", "administrator"],
    refused: { stranger: 401, outsider: 403, member: 403 },
  },
  "/admin/competitions/:name/invites.txt": {
    path: () => "/admin/competitions/spring/invites.txt",
    found: ["organiser", "administrator"],
    refused: { stranger: 401, outsider: 403, member: 403 },
  },
  "/problems/:name": { path: () => "/problems/triple", found: EVERY_MEMBER },
  "/problems/:name/files/:file": { path: () => "/problems/triple/files/reference.py", found: EVERY_MEMBER },
  "/problems/:name/starters/:file": { path: () => "/problems/triple/starters/kernel.py", found: EVERY_MEMBER },
  "/submissions/:id{[0-9]+}/source": {
    path: () => `/submissions/${submission}/source`,
    found: ["member", "administrator"],
    refused: { organiser: 403 },
  },
  "/boards/:board/:target": { path: () => "/boards/triple/cpu", found: EVERY_MEMBER },
  "/boards/:board/:target/updates": { path: () => "/boards/triple/cpu/updates", found: EVERY_MEMBER },
  "/problems/:name/submit": { path: () => "/problems/triple/submit", found: EVERY_MEMBER },
  "/submissions/:id{[0-9]+}": { path: () => `/submissions/${submission}`, found: EVERY_MEMBER },
  "/submissions/:id{[0-9]+}/updates": {
    path: () => `/submissions/${submission}/updates?after=9999`,
    found: EVERY_MEMBER,
  },
};

/** By route: the lists that may contain the competition. */
const LISTS: Record<string, { path: string; found: string[] }> = {
  "/api/v1/competitions": { path: "/api/v1/competitions", found: EVERY_MEMBER },
  "/api/v1/problems": { path: "/api/v1/problems", found: EVERY_MEMBER },
  "/api/v1/boards": { path: "/api/v1/boards", found: EVERY_MEMBER },
  "/api/v1/submissions": { path: "/api/v1/submissions", found: ["member"] },
  "/leaderboards": { path: "/leaderboards", found: EVERY_MEMBER },
  "/user/submissions": { path: "/user/submissions", found: ["member"] },
  "/": { path: "/", found: EVERY_MEMBER },
  // For readers without an account.
  "/feed.atom": { path: "/feed.atom", found: [] },
  "/live": { path: "/live", found: EVERY_MEMBER },
  "/problems": { path: "/problems", found: EVERY_MEMBER },
};

/** Routes that read nothing of competitions. */
const OTHERS = [
  "/health",
  "/auth/init",
  "/runner_queue/:gpu",
  "/admin/stats",
  "/join/:code",
  // For a session only: see course-pages.integration.test.ts.
  "/competitions/:name/course",
  // Shows the title to those who know the secret: see join-pages.integration.test.ts.
  "/join/:secret{[A-Za-z0-9_-]{43}}",
  // Own submissions, for a session only: see submission-site.test.ts. Redirects, whose targets check permissions.
  "/submissions",
  "/submissions/:id{[0-9]+}/compare",
  "/compare",
  "/api/v1/account/licence",
  "/api/v1/account/anonymity",
  // Of the caller's own account: see export.integration.test.ts and erase.integration.test.ts of personal-data.
  "/api/v1/account/export",
  "/api/v1/account/erasure",
  // Snapshots, which contain nothing of closed competitions. Competitions that are closed later:
  // dataset/snapshots.test.ts.
  "/data",
  "/data/:id{[0-9]+}",
  "/data/:id{[0-9]+}/:competition",
  "/data/:id{[0-9]+}/:competition/:table",
  "/api/v1/datasets",
  "/api/v1/datasets/:id",
  "/api/v1/datasets/:id/files/:path{.+}",
  "/api/v1/openapi.json",
  // Grants access to an artifact that its creator could see: see artifacts.test.ts.
  "/api/v1/links/:link",
  "/api/v1/keys",
  "/api/v1/runner/problems/:version",
  // Belong to their account: see evaluations.integration.test.ts.
  "/api/v1/evaluations/:id",
  "/api/v1/evaluations/batches/:id",
  // Of the caller's own account: see uploaded-problems.integration.test.ts.
  "/api/v1/evaluations/problems",
  // Belong to their account: see sessions.integration.test.ts.
  "/api/v1/evaluation-sessions/:id",
  "/api/v1/evaluation-sessions/:id/transcript",
  // Belong to their account: see kernelgym.integration.test.ts.
  "/kernelgym/health",
  "/kernelgym/results/:id",
  "/kernelgym/status/:id",
  "/kernelgym/workflow/results/:id",
  // Contain nothing of the problem but the name in the address; sessions: see openenv.integration.test.ts.
  "/openenv/:problem/openapi.json",
  "/openenv/:problem/openenv.yaml",
  "/openenv/:problem/schema",
  "/openenv/:problem/state",
  "/openenv/:problem/ws",
  "/api/v1/webhooks",
  "/api/v1/webhooks/:id/deliveries",
  "/assets/:name",
  // They show what their pages show to everyone.
  "/pictures/:name{[A-Za-z0-9_-]+\\.png}",
  // Pages of the repository.
  "/docs",
  "/docs/:path{.+}",
  "/downloads/:name",
  "/install.sh",
  "/install-runner.sh",
  "/healthz",
  "/readyz",
  "/health",
  "/auth/init",
  "/runner_queue/:gpu",
  "/admin/stats",
  "/api/v1/account",
  "/api/v1/tokens",
  "/api/v1/admin/accounts",
  "/api/v1/admin/accounts/:name/erasure",
  "/api/v1/admin/accounts/:name/export",
  "/api/v1/admin/audit",
  "/api/v1/admin/audit/export",
  "/api/v1/launchers",
  // Streams of revision numbers only, which exclude what the caller may not see: see updates.test.ts.
  "/updates",
  "/queue/updates",
  // Only targets are named, except for administrators, who may see everything: see queue.test.ts.
  "/queue",
  "/status",
  "/api/v1/status",
  "/api/v1/queue",
  "/api/v1/queue/runs",
  "/api/v1/runners",
  "/api/v1/runners/:id",
  "/api/v1/runner-tokens",
  // Not related to competitions; visibility of entries is tested in kernelbench.test.ts.
  "/api/v1/kernelbench/suites",
  "/api/v1/kernelbench/suites/:suite",
  "/api/v1/kernelbench/baselines",
  "/api/v1/kernelbench/baselines/:baseline",
  "/api/v1/kernelbench/entries",
  "/api/v1/kernelbench/entries/:id",
  "/api/v1/kernelbench/entries/:id/file",
  "/api/v1/kernelbench/entries/:id/events",
  "/api/v1/kernelbench/entries/:id/results",
  "/api/v1/kernelbench/entries/:id/eval-results/:level",
  "/api/v1/kernelbench/metadata",
  "/api/v1/kernelbench/problems/:suite/:level/:problem",
  "/api/v1/kernelbench/matrix",
  // Redirects to the comparison, which is tested above.
  "/compare",
  "/sign-in",
  "/sign-in/email",
  "/sign-in/link",
  "/sign-in/:provider{discord|github|google|oidc}/callback",
  // Only for users whom a platform has confirmed: see launch-pages.integration.test.ts.
  "/lti/jwks",
  "/lti/login",
  "/lti/register",
  "/lti/continue/:secret{[A-Za-z0-9_-]{43}}",
  "/lti/deep-link/:secret{[A-Za-z0-9_-]{43}}",
  "/lti/deep-link/:secret{[A-Za-z0-9_-]{43}}/response",
  "/api/v1/lti/platforms",
  "/account",
  "/account/erase",
  "/account/export",
  "/device",
  "/link-popcorn",
  // Not related to competitions; drafts belong to their account: see kernelbench-site.test.ts.
  "/kernelbench",
  "/kernelbench/matrix",
  "/kernelbench/suites",
  "/kernelbench/problems/:suite/:level/:problem",
  "/kernelbench/submit",
  "/kernelbench/entries/:id{[0-9]+}",
  "/kernelbench/updates",
  "/kernelbench/entries/:id{[0-9]+}/updates",
  // About the caller only; or for moderators, who may see everything: see moderation.test.ts.
  "/api/v1/decisions",
  "/api/v1/moderation/queue",
  "/api/v1/moderation/runs/:id",
  "/moderation",
  "/moderation/runs/:id{[0-9]+}",
  "/moderation/decisions/:id{[0-9]+}",
  // For administrators, who may see everything.
  "/admin/learning-platforms",
  "/admin/runners",
  "/admin/runners/:id{[0-9]+}",
  "/admin/accounts",
  "/admin/accounts/:id",
  "/admin/accounts/:id/erase",
  "/admin/audit",
  "/admin/audit/export",
  "/admin/launchers",
  // About the caller only.
  "/account/decisions",
  "/account/webhooks",
  "/account/webhooks/:id{[0-9]+}",
];

const WHO = ["stranger", "outsider", "member", "organiser", "administrator"] as const;

async function ask(path: string, who: (typeof WHO)[number]): Promise<{ status: number; text: string }> {
  const token = tokens[who];
  // The popcorn routes read the token from their own header.
  const headers: Record<string, string> = token === undefined ? {} : { "x-popcorn-cli-id": token };
  const response = await testServer.ask(path, token, { headers });
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
  if (isStream) await response.body?.cancel();
  return { status: response.status, text: isStream ? "" : await response.text() };
}

/** Returns whether the response contains the name of the competition, its problem or its member. */
function names(text: string): boolean {
  return /spring|triple|member/i.test(text);
}

test("every route that reads is in a table of this file", () => {
  const routes = testServer.app.routes
    .filter(({ method, path }) => method === "GET" && path !== "/*")
    .map(({ path }) => path);
  expect(new Set(routes)).toEqual(new Set([...Object.keys(ADDRESSES), ...Object.keys(LISTS), ...OTHERS]));
});

test.each(WHO.flatMap((who) => Object.entries(ADDRESSES).map(([route, address]) => ({ who, route, ...address }))))(
  "closed: $who at $route",
  async ({ who, path, found, refused }) => {
    await setVisibility("closed");
    const { status, text } = await ask(path(), who);
    if (found.includes(who)) return expect(status).toBe(200);
    if (status !== 404) return expect(status).toBe(refused?.[who]);
    // The response must equal that for an object that never existed, except for the requested name.
    const never = await ask(
      path().replace(/spring|triple|\b\d+(?!\w)/, (name) => NEVER[name] ?? "4711"),
      who,
    );
    const named = (text: string) => text.replaceAll(/nothing|spring|triple|\b(4711|\d+)\b/g, "X");
    expect({ status, text: named(text) }).toEqual({ ...never, text: named(never.text) });
  },
);

const NEVER: Record<string, string> = { spring: "nothing", triple: "nothing" };

test.each(WHO.flatMap((who) => Object.values(LISTS).map((list) => ({ who, ...list }))))(
  "closed: $who reads the list $path",
  async ({ who, path, found }) => {
    await setVisibility("closed");
    expect(names((await ask(path, who)).text)).toBe(found.includes(who));
  },
);

test("unlisted: reachable by URL, and listed only for members", async () => {
  await setVisibility("unlisted");
  for (const who of ["stranger", "outsider"] as const) {
    for (const route of [
      "/api/v1/competitions/:name",
      "/api/v1/problems/:name",
      "/api/v1/boards/:board/:target",
      "/api/v1/runs/:id/receipt",
      "/boards/:board/:target",
      "/submissions/:id{[0-9]+}",
    ]) {
      expect((await ask(ADDRESSES[route]?.path() ?? "", who)).status).toBe(200);
    }
    for (const path of ["/api/v1/problems?competition=spring", "/api/v1/boards?competition=spring"]) {
      expect(names((await ask(path, who)).text)).toBe(true);
    }
    for (const { path } of Object.values(LISTS)) expect(names((await ask(path, who)).text)).toBe(false);
  }
  for (const { path, found } of Object.values(LISTS)) {
    expect(names((await ask(path, "member")).text)).toBe(found.includes("member"));
  }
});

test("closed: lists by name are empty for others", async () => {
  await setVisibility("closed");
  for (const path of ["/api/v1/problems?competition=spring", "/api/v1/boards?competition=spring"]) {
    expect(names((await ask(path, "outsider")).text)).toBe(false);
    expect(names((await ask(path, "member")).text)).toBe(true);
  }
});

test("closed: submissions by others are rejected as for a missing board, and no hint names it", async () => {
  await setVisibility("closed");
  const submit = async (who: "outsider" | "member", board: string) => {
    const init = { method: "POST", headers: { "content-type": "application/json" } };
    const body = JSON.stringify(request({ board }));
    const response = await testServer.ask("/api/v1/submissions", tokens[who], { ...init, body });
    return { status: response.status, text: await response.text() };
  };
  const refused = await submit("outsider", "triple");
  expect(refused.status).toBe(404);
  expect(refused.text).toContain('board \\"triple\\" not found');
  expect((await submit("outsider", "tripl")).text).not.toContain("triple");
  expect((await submit("member", "tripl")).text).toContain("did you mean triple");
  expect((await submit("member", "triple")).status).toBe(202);
});

test("closed: concurrent readers do not share responses", async () => {
  await setVisibility("closed");
  const responses = Array.from({ length: 20 }, (_, index) =>
    index % 2 === 0 ? ("member" as const) : ("outsider" as const),
  );
  for (const path of [`/submissions/${submission}`, `/api/v1/submissions/${submission}`, "/boards/triple/cpu"]) {
    const answers = await Promise.all(responses.map((who) => ask(path, who)));
    expect(answers.map(({ status }) => status)).toEqual(responses.map((who) => (who === "member" ? 200 : 404)));
  }
});

test("closed: a former member cannot see or cancel their submissions", async () => {
  const { database } = testServer;
  await setVisibility("closed");
  const token = await testServer.token("guest");
  const guest = await authenticate(database, token);
  const { codes } = await createInvites(database, olga, { competitions: ["spring"], count: 1 });
  await claimInvite(database, guest, codes[0] ?? "");
  const id = await submitted(database, guest, { board: "triple" });
  await revokeInvite(database, olga, codes[0] ?? "");
  for (const path of [`/api/v1/submissions/${id}`, `/api/v1/submissions/${id}/source`, `/submissions/${id}`]) {
    expect((await testServer.ask(path, token)).status).toBe(404);
  }
  expect((await testServer.ask(`/api/v1/submissions/${id}/cancel`, token, { method: "POST" })).status).toBe(404);
  expect(await (await testServer.ask("/api/v1/submissions", token)).json()).toEqual({ submissions: [] });
  const [run] = await database.sql`select state from run where submission_id = ${id}`;
  expect(run?.["state"]).toBe("queued");
});

test("where boards show pseudonyms, no response to others contains the name or the id of an entrant", async () => {
  await setVisibility("public");
  const { sql } = testServer.database;
  // As if the competition had begun with pseudonyms, which cannot be set once it has ranked submissions.
  await sql`update competition set pseudonym_key = substring(sha256('key') for 16) where name = 'spring'`;
  await sql`update receipt set account_name = shown_as(${member.account.id}, pseudonym_key) from competition`;
  await sql`update account set name = 'Mabel Quint' where id = ${member.account.id}`;
  const paths = [...Object.values(ADDRESSES), ...Object.values(LISTS)].map(({ path }) =>
    typeof path === "string" ? path : path(),
  );
  let shown = 0;
  for (const who of ["stranger", "outsider"] as const) {
    for (const path of paths) {
      const { text } = await ask(path, who);
      if (/anon-[0-9a-f]{12}/.test(text)) shown += 1;
      // The id in the address of an account comes back in the message that it does not exist.
      const hasId = !path.includes(member.account.id) && text.includes(member.account.id);
      expect([path, who, text.includes("Mabel Quint"), hasId]).toEqual([path, who, false, false]);
    }
  }
  // Board, history, lists, submission, receipt, over the API and on pages.
  expect(shown).toBeGreaterThan(15);
  await sql`update competition set pseudonym_key = null`;
});

test("rejects an invalid token even where anonymous callers are allowed", async () => {
  expect((await testServer.ask("/api/v1/boards", `kb_${"a".repeat(43)}`)).status).toBe(401);
});

test("a token without the scope read sees what anonymous callers see", async () => {
  await setVisibility("closed");
  const token = await testServer.token("member2", ["submit"]);
  const { codes } = await createInvites(testServer.database, olga, { competitions: ["spring"], count: 1 });
  await claimInvite(testServer.database, await authenticate(testServer.database, token), codes[0] ?? "");
  expect((await testServer.ask("/api/v1/problems/triple", token)).status).toBe(404);
});
