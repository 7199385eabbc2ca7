/**
 * Permissions of every route, tried by every kind of caller. A route that is missing from the table fails the test; a
 * new route needs a row. Requests change nothing or may be repeated, so that every caller can send them.
 */
import { basename } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CompetitionSpec, EvaluationRequest, type EvaluationSession } from "@kernelbot/core";
import { loadAssets } from "@kernelbot/web";
import { createCompetition } from "../src/competitions/change.ts";
import { authenticate } from "../src/auth/tokens.ts";
import { createBatch, type CreatedEvaluations } from "../src/evaluations/create.ts";
import { DEFAULT_EVALUATION_LIMITS } from "../src/evaluations/limits.ts";
import { openSession } from "../src/evaluations/sessions/sessions.ts";
import { inHours } from "@kernelbot/testing/competitions.ts";
import { claimed, H100, passing, reported, request, runner, submitted } from "@kernelbot/testing/fixtures.ts";
import { entered, entryRequest, suiteUpload, withSuite } from "@kernelbot/testing/kernelbench.ts";
import { openTestServer, type TestServer } from "@kernelbot/testing/server-with-problems.ts";
import { FEATURES } from "../src/features.ts";
import type { PageRoute } from "../src/http/page.ts";
import { VISITORS, visitorsOf, type Tokens, type Visitor } from "@kernelbot/testing/visitors.ts";

const assets = await loadAssets();

/** Result of a permitted request: the status in the row. */
const OK = 0;

/**
 * Result for each visitor, by kind of route, in the order of VISITORS. Invalid tokens are rejected wherever tokens are
 * read; a banned account may read its own data and change nothing; a role and the scope `admin` require each other.
 */
const KINDS = {
  //           none stra owner expi revo ban  unro unsc orga mode admi runner
  anyone: [OK, OK, OK, OK, OK, OK, OK, OK, OK, OK, OK, OK],
  looker: [OK, OK, OK, 401, 401, OK, OK, OK, OK, OK, OK, OK],
  /** As a looker, but a token must have the scope `read`. */
  client: [OK, OK, OK, 401, 401, OK, OK, OK, OK, OK, OK, 403],
  reader: [401, OK, OK, 401, 401, OK, OK, OK, OK, OK, OK, 403],
  /** Manages the account; requires the scope `account` or `admin`. */
  manager: [401, 403, OK, 401, 401, 403, OK, 403, OK, OK, OK, 403],
  submitter: [401, OK, OK, 401, 401, 403, OK, OK, OK, OK, OK, 403],
  /** Reads an object as its owner or a moderator. */
  ownerRead: [401, 404, OK, 401, 401, 404, 404, 404, 404, OK, OK, 403],
  /** Reads an object that only its owner may see. */
  onlyOwnerRead: [401, 404, OK, 401, 401, 404, 404, 404, 404, 404, 404, 403],
  /** Reads, and changes, an object that only its owner and administrators may see. */
  ownerOrAdministratorRead: [401, 404, OK, 401, 401, 404, 404, 404, 404, 404, OK, 403],
  ownerOrAdministratorAct: [401, 404, OK, 401, 401, 403, 404, 404, 404, 404, OK, 403],
  /** Compares two own submissions on a page, which treats a token without `read` as anonymous. */
  comparer: [401, 404, OK, 401, 401, 404, 404, 404, 404, OK, OK, 401],
  /** Reads an object that is public once published, and before only for its owner and moderators. */
  ownerLook: [404, 404, OK, 401, 401, 404, 404, 404, 404, OK, OK, 404],
  /** Reads a source that no rule has opened to others. */
  sourceReader: [403, 403, OK, 401, 401, 403, 403, 403, 403, OK, OK, 403],
  /** Changes an object as its owner. */
  ownerAct: [401, 404, OK, 401, 401, 403, 404, 404, 404, 404, 404, 403],
  /** Changes an object as its owner or a moderator. */
  ownerOrModeratorAct: [401, 404, OK, 401, 401, 403, 404, 404, 404, OK, OK, 403],
  organiser: [401, 403, 403, 401, 401, 403, 403, 403, OK, 403, OK, 403],
  moderator: [401, 403, 403, 401, 401, 403, 403, 403, 403, OK, OK, 403],
  /** Deletes an object that is then missing: the moderator's request precedes the administrator's. */
  firstModerator: [401, 403, 403, 401, 401, 403, 403, 403, 403, OK, 404, 403],
  organiserOrModerator: [401, 403, 403, 401, 401, 403, 403, 403, OK, OK, OK, 403],
  administrator: [401, 403, 403, 401, 401, 403, 403, 403, 403, 403, OK, 403],
  runner: [401, 403, 403, 401, 401, 403, 403, 403, 403, 403, 403, OK],
} satisfies Record<string, readonly number[]>;

/** Access that a page of each kind declares; none for kinds that only endpoints of the API have. */
const ACCESS: Partial<Record<keyof typeof KINDS, PageRoute["access"]>> = {
  anyone: "anyone",
  looker: "viewer",
  client: "viewer",
  reader: "read",
  submitter: "submit",
  ownerRead: "read",
  comparer: "viewer",
  ownerLook: "viewer",
  sourceReader: "viewer",
  ownerAct: "submit",
  organiser: "organiser",
  moderator: "moderator",
  firstModerator: "moderator",
  administrator: "administrator",
};

interface Row {
  /** Status of a permitted request. */
  may: number;
  kind: keyof typeof KINDS;
  /** Whether the request revokes the caller's token; these routes are tried after all others. */
  isLast?: boolean;
  /** Access that the page or form declares, where it differs from that of the kind. */
  access?: PageRoute["access"];
  /** JSON body; a form is sent as such. */
  body?: unknown;
  /** Path parameters that differ from WORDS, and the query. */
  words?: Record<string, string>;
  query?: string;
}

const row =
  (kind: keyof typeof KINDS) =>
  (may = 200, more: Omit<Row, "may" | "kind"> = {}): Row => ({ kind, may, ...more });
const anyone = row("anyone");
const looker = row("looker");
const reader = row("reader");
const manager = row("manager");
const submitter = row("submitter");
const ownerRead = row("ownerRead");
const onlyOwnerRead = row("onlyOwnerRead");
const ownerOrAdministratorRead = row("ownerOrAdministratorRead");
const ownerOrAdministratorAct = row("ownerOrAdministratorAct");
const comparer = row("comparer");
const ownerLook = row("ownerLook");
const sourceReader = row("sourceReader");
const ownerAct = row("ownerAct");
const ownerOrModeratorAct = row("ownerOrModeratorAct");
const organiser = row("organiser");
const moderator = row("moderator");
const firstModerator = row("firstModerator");
const organiserOrModerator = row("organiserOrModerator");
const administrator = row("administrator");
const runners = row("runner");
/** A page for browser sessions, which tokens do not authenticate: every visitor is redirected to sign in. */
const session = (): Row => anyone(303, { access: "signed-in" });
/** A form: every request of a visitor lacks the headers that prove its origin. */
const form = (access: PageRoute["access"] = "signed-in", more: Omit<Row, "may" | "kind"> = {}): Row =>
  anyone(403, { ...more, access });

const CODE = "0".repeat(32);
const SPEC = CompetitionSpec.parse({
  name: "spring",
  title: "Spring kernels",
  startsAt: inHours(-1),
  endsAt: inHours(1),
  problems: ["triple"],
});
const MISSING = { account: "missing", reason: "it cheated" };
const reason = { reason: "copied" };
const follow = "?after=9999";
/** Fails after the permission check, before anything changes. */
const none = { id: "999999" };
/** The problem is in no competition. */
const lateEntry = {
  account: "owner",
  reason: "ill",
  board: "double",
  targets: ["cpu"],
  fileName: "a.py",
  source: "1\n",
};
const nothing = { name: "nothing", leaderboard: "nothing", problem: "nothing" };
const double = { problem: "double" };
/** The owner's draft entry. */
const draft = { id: "ENTRY" };
/** The owner's evaluation, and a batch with one. */
const evaluation = { id: "EVALUATION" };
const batch = { id: "BATCH" };
/** A session of the owner. */
const ownSession = { id: "SESSION" };
const sessionBudget = { target: "cpu", maxEvaluations: 1, maxSeconds: 600 };
const toEvaluate = { problem: "double", target: "cpu", code: "pass\n", level: "test" };
/** A baseline without times. */
const BASELINE = { id: "empty", hardware: "box", kind: "eager", file: {} };
function upload(): FormData {
  const data = new FormData();
  data.set("file", new File(["pass\n"], "kernel.py"));
  return data;
}

/** A competition that has not ended, so that the import is rejected. */
const IMPORT = {
  head: {
    source: "corpus",
    competition: "past",
    title: "Past",
    startsAt: inHours(-1),
    endsAt: inHours(1),
    licence: null,
  },
  discordUsers: false,
  problems: [],
  sources: [],
  rows: [],
};

const fields = (record: Record<string, string>): URLSearchParams => new URLSearchParams(record);

const ROUTES: Record<string, Row> = {
  "GET /api/v1/problems": looker(),
  "GET /api/v1/problems/:name": looker(200, { words: { name: "double" } }),
  "GET /api/v1/problems/:name/limits": looker(200, { words: { name: "double" } }),
  "PUT /api/v1/admin/limits": organiser(404, { body: { account: "missing", board: "nothing", limits: {} } }),
  "POST /api/v1/problems/:name/close": organiser(404, { words: nothing }),
  "GET /api/v1/boards": looker(),
  "GET /api/v1/boards/:board/:target": looker(),
  "GET /api/v1/boards/:board/:target/history": looker(200, { query: "?entrant=owner&entrant=team:1" }),
  "GET /api/v1/competitions": looker(),
  "GET /api/v1/competitions/:name": looker(),
  "POST /api/v1/competitions": organiser(409, { body: SPEC }),
  "PUT /api/v1/competitions/:name": organiser(200, { body: SPEC }),
  // The competition is not a course.
  "GET /api/v1/competitions/:name/course": looker(404),
  "PUT /api/v1/competitions/:name/course": organiser(409, {
    body: {
      competition: "spring",
      assignments: [{ problem: "nothing", target: "cpu", dueAt: "2026-03-01T12:00:00Z" }],
    },
  }),
  "GET /api/v1/competitions/:name/course/students": organiser(404),
  "POST /api/v1/competitions/:name/course/roster": organiser(404, { body: { csv: "name,email" } }),
  "POST /api/v1/competitions/:name/course/students/remove": organiser(404, { body: { email: "ann@example.org" } }),
  "POST /api/v1/competitions/:name/course/students/release": organiser(404, { body: { email: "ann@example.org" } }),
  "PUT /api/v1/competitions/:name/course/extensions": organiser(404, {
    body: { email: "ann@example.org", problem: "triple", dueAt: null },
  }),
  "GET /api/v1/competitions/:name/course/similar": organiser(404, { query: "?problem=triple" }),
  "GET /api/v1/competitions/:name/course/me": reader(404),
  "POST /api/v1/competitions/:name/course/enrol": submitter(404, { body: {} }),
  "GET /api/v1/competitions/:name/course/lti": organiser(404),
  "POST /api/v1/competitions/:name/course/lti/links": organiser(404, { body: {} }),
  "POST /api/v1/competitions/:name/course/lti/links/:id/revoke": organiser(404, { words: none }),
  "POST /api/v1/competitions/:name/course/lti/send": organiser(404),
  "POST /api/v1/competitions/:name/course/lti/roster": organiser(409),
  "GET /api/v1/lti/platforms": administrator(),
  "PUT /api/v1/lti/platforms": administrator(200, {
    body: {
      ...{ name: "Moodle", issuer: "https://moodle.example", clientId: "client", deployments: ["1"] },
      ...{ authorizeUrl: "https://moodle.example/auth", tokenUrl: "https://moodle.example/token" },
      jwksUrl: "https://moodle.example/jwks",
    },
  }),
  "DELETE /api/v1/lti/platforms/:id": administrator(404, { words: none }),
  "POST /api/v1/lti/registrations": administrator(200, {
    body: { name: "Moodle", address: "https://moodle.example" },
  }),
  "GET /api/v1/competitions/:name/invites": organiser(),
  "GET /api/v1/competitions/:name/teams": looker(),
  // The competition has no teams.
  "POST /api/v1/competitions/:name/teams": submitter(409, { body: { name: "Fast ones" } }),
  "POST /api/v1/competitions/:name/teams/join": submitter(409, { body: { code: CODE } }),
  "POST /api/v1/competitions/:name/teams/leave": submitter(409),
  "POST /api/v1/competitions/:name/teams/rename": submitter(409, { body: { name: "Fast ones" } }),
  "POST /api/v1/competitions/:name/teams/remove": organiserOrModerator(404, { body: { account: "missing" } }),
  "GET /api/v1/competitions/:name/invite-links": organiser(),
  "POST /api/v1/competitions/:name/invite-links": organiser(201, { body: { maxUses: 1 } }),
  "POST /api/v1/competitions/:name/invite-links/:id/revoke": organiser(404, { words: { id: "99" } }),
  "POST /api/v1/invites": organiser(201, { body: { competitions: ["spring"] } }),
  "POST /api/v1/invites/revoke": organiser(404, { body: { code: CODE } }),
  "POST /api/v1/invites/claim": submitter(404, { body: { code: CODE } }),
  "POST /api/v1/submissions": submitter(202, { body: request() }),
  "POST /api/v1/late-entries": organiser(409, { body: lateEntry }),
  "GET /api/v1/submissions": reader(),
  // The passed ranked run of an open board, which is public.
  "GET /api/v1/submissions/:id": looker(),
  "GET /api/v1/submissions/:id/source": sourceReader(),
  "GET /api/v1/submissions/:id/profile": ownerRead(),
  "GET /api/v1/submissions/:id/licence": onlyOwnerRead(),
  "PUT /api/v1/submissions/:id/licence": ownerAct(200, { body: { licence: null, anonymous: true } }),
  "POST /api/v1/submissions/:id/cancel": ownerOrModeratorAct(),
  "GET /api/v1/submissions/:id/events": ownerRead(200, { query: follow }),
  "DELETE /api/v1/submissions/:id": ownerAct(),
  "POST /api/v1/submissions/:id/remove": moderator(200, { body: reason }),
  "POST /api/v1/submissions/:id/restore": moderator(409, { body: reason }),
  "POST /api/v1/evaluations": submitter(202, { body: toEvaluate }),
  "GET /api/v1/evaluations/:id": ownerOrAdministratorRead(200, { words: evaluation }),
  "DELETE /api/v1/evaluations/:id": ownerOrAdministratorAct(200, { words: evaluation }),
  "POST /api/v1/evaluations/problems": organiser(422, { body: { files: {} } }),
  "GET /api/v1/evaluations/problems": reader(),
  "DELETE /api/v1/evaluations/problems/:problem": submitter(404),
  "POST /api/v1/evaluations/batches": submitter(202, { body: { evaluations: [toEvaluate] } }),
  "GET /api/v1/evaluations/batches/:id": ownerOrAdministratorRead(200, { words: batch }),
  "DELETE /api/v1/evaluations/batches/:id": ownerOrAdministratorAct(200, { words: batch }),
  "POST /api/v1/evaluation-sessions": submitter(201, { body: { ...double, ...sessionBudget } }),
  "GET /api/v1/evaluation-sessions/:id": ownerOrAdministratorRead(200, { words: ownSession }),
  "DELETE /api/v1/evaluation-sessions/:id": ownerOrAdministratorAct(200, { words: ownSession }),
  "POST /api/v1/evaluation-sessions/:id/notes": ownerAct(409, { words: ownSession, body: { text: "x" } }),
  "GET /api/v1/evaluation-sessions/:id/transcript": ownerOrAdministratorRead(200, { words: ownSession }),
  "GET /api/v1/submissions/:id/transcript": sourceReader(404),
  "PUT /api/v1/submissions/:id/transcript": ownerAct(404, { body: { session: 999_999 } }),
  "GET /api/v1/runs/:id": looker(200, { words: { id: "RUN" } }),
  "GET /api/v1/runs/:id/receipt": looker(200, { words: { id: "RUN" } }),
  "GET /api/v1/runs/:id/artifacts/:name": ownerRead(404, { words: { id: "RUN", name: "none.txt" } }),
  "POST /api/v1/runs/:id/artifacts/:name/links": ownerRead(404, { words: { id: "RUN", name: "none.txt" }, body: {} }),
  "GET /api/v1/links/:link": anyone(404, { words: { link: "a.b" } }),
  "GET /api/v1/keys": anyone(),
  "POST /api/v1/moderation/ban": moderator(404, { body: MISSING }),
  "POST /api/v1/moderation/unban": moderator(404, { body: MISSING }),
  "GET /api/v1/moderation/queue": moderator(),
  "GET /api/v1/moderation/runs/:id": moderator(200, { words: { id: "RUN" } }),
  "POST /api/v1/runs/:id/flag": moderator(404, { words: none, body: reason }),
  "POST /api/v1/runs/:id/report": submitter(404, { words: none, body: reason }),
  "POST /api/v1/runs/:id/accept": moderator(404, { words: none, body: reason }),
  "POST /api/v1/runs/:id/reject": moderator(404, { words: none, body: reason }),
  "GET /api/v1/decisions": reader(),
  "POST /api/v1/decisions/:id/appeal": reader(404, { words: none, body: { text: "it is mine" } }),
  "POST /api/v1/decisions/:id/answer": moderator(404, { words: none, body: { ...reason, grant: false } }),
  "POST /api/v1/submissions/:id/rerun": moderator(404, { words: none }),
  "POST /api/v1/boards/:board/:target/rerun": moderator(404, { words: { board: "nothing" }, body: { top: 1 } }),
  "POST /api/v1/boards/:board/:target/check-in-use": organiser(404, { words: { board: "nothing" }, body: { top: 1 } }),
  "GET /api/v1/accounts/:id": looker(200, { words: { id: "ACCOUNT" } }),
  "GET /api/v1/queue": looker(),
  "GET /api/v1/status": looker(),
  "GET /api/v1/queue/runs": administrator(),
  "GET /api/v1/runners": administrator(),
  "GET /api/v1/launchers": administrator(),
  "POST /api/v1/launches/:name/end": administrator(404, { words: { name: "kernelbot-none" } }),
  // An API token is not a valid proof of a launch.
  "POST /api/v1/runner/join": anyone(401),
  "GET /api/v1/runners/:id": administrator(404, { words: none }),
  "POST /api/v1/runners/:id/pause": administrator(404, { words: none, body: reason }),
  "POST /api/v1/runners/:id/drain": administrator(404, { words: none, body: reason }),
  "POST /api/v1/runners/:id/resume": administrator(404, { words: none }),
  "POST /api/v1/runners/:id/revoke": administrator(404, { words: none }),
  "GET /api/v1/runner-tokens": administrator(),
  "POST /api/v1/runner-tokens/:id/revoke": administrator(404, { words: none }),
  "GET /api/v1/compare": ownerRead(200, { query: "?a=ID&b=ID" }),
  "POST /api/v1/runner/check": runners(200, { body: { target: "H100", runner: "box", machine: H100 } }),
  "POST /api/v1/runner/claim": runners(204, { body: { target: "H100", runner: "box", machine: H100, waitMs: 0 } }),
  "POST /api/v1/runner/canary": runners(409, {
    body: { target: "H100", runner: "missing", machine: H100, kernel: "k", timesNs: [1, 1], failure: null },
  }),
  "GET /api/v1/runner/problems/:version": runners(404),
  "POST /api/v1/runner/runs/:id/report": runners(409, {
    words: { id: "RUN" },
    body: { attempt: 9, from: 0, events: [] },
  }),
  "PUT /api/v1/runner/runs/:id/artifacts/:name": runners(415, { words: { name: "a.txt" }, query: "?attempt=9" }),
  "GET /api/v1/account": reader(),
  "GET /api/v1/account/licence": reader(),
  "PUT /api/v1/account/licence": submitter(200, { body: { licence: null } }),
  "GET /api/v1/account/anonymity": reader(),
  "GET /api/v1/account/export": manager(),
  "GET /api/v1/account/erasure": manager(),
  "POST /api/v1/account/erasure": manager(422, { body: { name: "someone else" } }),
  "PUT /api/v1/account/anonymity": submitter(200, { body: { anonymous: false } }),
  "POST /api/v1/sign-out": reader(204, { isLast: true }),
  "GET /api/v1/tokens": manager(),
  "POST /api/v1/tokens": manager(201, { body: { label: "nightly", scopes: ["read"] } }),
  "POST /api/v1/tokens/:id/revoke": manager(404, { words: { id: "999999" } }),
  "GET /api/v1/webhooks": manager(),
  "POST /api/v1/webhooks": manager(201, { body: { url: "https://example.org/hook", events: ["submission.finished"] } }),
  "DELETE /api/v1/webhooks/:id": manager(404, { words: { id: "999999" } }),
  "POST /api/v1/webhooks/:id/pause": manager(404, { words: { id: "999999" } }),
  "POST /api/v1/webhooks/:id/resume": manager(404, { words: { id: "999999" } }),
  "POST /api/v1/webhooks/:id/test": manager(404, { words: { id: "999999" } }),
  "GET /api/v1/webhooks/:id/deliveries": manager(404, { words: { id: "999999" } }),
  "POST /api/v1/webhooks/:id/deliveries/:delivery/redeliver": manager(404, {
    words: { id: "999999", delivery: `msg_${CODE}` },
  }),
  "GET /api/v1/admin/accounts": administrator(),
  "POST /api/v1/admin/accounts/:name/roles": administrator(404, { words: { name: "missing" }, body: {} }),
  "GET /api/v1/admin/accounts/:name/export": administrator(404, { words: { name: "missing" } }),
  "GET /api/v1/admin/accounts/:name/erasure": administrator(404, { words: { name: "missing" } }),
  "POST /api/v1/admin/accounts/:name/erasure": administrator(404, { words: { name: "missing" }, body: { name: "x" } }),
  "POST /api/v1/admin/accounts/:name/weight": administrator(404, { words: { name: "missing" }, body: { weight: 2 } }),
  "POST /api/v1/admin/sign-in-links": organiser(404, { body: { name: "missing" } }),
  "GET /api/v1/admin/audit": administrator(),
  "GET /api/v1/admin/audit/export": administrator(),
  "GET /api/v1/kernelbench/suites": anyone(),
  "GET /api/v1/kernelbench/suites/:suite": anyone(),
  "POST /api/v1/problems/sync": organiser(422, { body: { source: "x", files: {} } }),
  "POST /api/v1/kernelbench/suites": organiser(200, { body: suiteUpload() }),
  "POST /api/v1/kernelbench/validate": anyone(200, { query: "?suite=tiny", body: entryRequest().file }),
  "GET /api/v1/kernelbench/baselines": anyone(),
  "GET /api/v1/kernelbench/baselines/:baseline": anyone(404),
  "POST /api/v1/kernelbench/baselines": organiser(422, { body: BASELINE }),
  "POST /api/v1/datasets/import": administrator(422, { body: IMPORT }),
  "POST /api/v1/kernelbench/entries": submitter(422, { body: entryRequest({ kernels: {} }) }),
  "GET /api/v1/kernelbench/entries": looker(),
  "GET /api/v1/kernelbench/entries/:id": ownerLook(200, { words: draft }),
  "GET /api/v1/kernelbench/entries/:id/file": ownerLook(200, { words: draft }),
  "GET /api/v1/kernelbench/entries/:id/results": ownerLook(200, { words: draft }),
  "GET /api/v1/kernelbench/entries/:id/eval-results/:level": ownerLook(200, { words: draft }),
  "GET /api/v1/kernelbench/problems/:suite/:level/:problem": looker(),
  "GET /api/v1/kernelbench/matrix": looker(200, { query: "?suite=tiny&target=cpu" }),
  "GET /api/v1/kernelbench/metadata": anyone(),
  "GET /api/v1/kernelbench/entries/:id/events": ownerLook(200, { words: draft }),
  "POST /api/v1/kernelbench/entries/:id/stop": ownerOrModeratorAct(200, { words: draft }),
  "POST /api/v1/kernelbench/entries/:id/resume": ownerOrModeratorAct(200, { words: draft }),
  "POST /api/v1/kernelbench/entries/:id/publish": ownerOrModeratorAct(409, { words: draft }),
  "POST /api/v1/datasets": organiser(409, { body: { competitions: ["spring"] } }),
  "GET /api/v1/datasets": looker(),
  "GET /api/v1/datasets/:id": looker(404, { words: none }),
  "GET /api/v1/datasets/:id/files/:path{.+}": looker(404, { words: { ...none, path: "spring/code.parquet" } }),
  "POST /api/v1/datasets/:id/publications/:destination": administrator(404, {
    words: { ...none, destination: "object_store" },
  }),
  "POST /api/v1/device/code": anyone(422, { body: fields({ scope: "runner" }) }),
  "POST /api/v1/device/token": anyone(422, { body: fields({ device_code: "none" }) }),
  "GET /api/v1/openapi.json": anyone(),
  "GET /healthz": anyone(),
  "GET /readyz": anyone(),

  "GET /": looker(),
  "GET /boards/:board/:target": looker(),
  "GET /boards/:board/:target/updates": looker(),
  "GET /boards/:board/:target/feed.atom": anyone(),
  "GET /competitions/:name/feed.atom": anyone(),
  "GET /feed.atom": anyone(),
  "GET /updates": looker(),
  "GET /queue/updates": anyone(),
  "GET /compare": anyone(303, { query: "?with=1&with=2" }),
  "GET /submissions/:id{[0-9]+}": looker(),
  "GET /submissions/:id{[0-9]+}/updates": looker(200, { query: follow }),
  "GET /submissions/:id{[0-9]+}/source": sourceReader(),
  "GET /competitions/:name": looker(),
  "GET /competitions/:name/teams": looker(),
  "GET /people/:id": looker(200, { words: { id: "ACCOUNT" } }),
  "GET /queue": looker(),
  "GET /status": looker(),
  "GET /live": looker(200, { query: "?board=double/cpu" }),
  "GET /kernelbench": looker(),
  "GET /kernelbench/matrix": looker(),
  "GET /kernelbench/suites": looker(),
  "GET /kernelbench/problems/:suite/:level/:problem": looker(),
  "GET /kernelbench/submit": looker(),
  "GET /kernelbench/entries/:id{[0-9]+}": ownerLook(200, { words: draft }),
  "GET /kernelbench/updates": looker(200, { query: "?suite=tiny&target=cpu" }),
  "GET /kernelbench/entries/:id{[0-9]+}/updates": ownerLook(200, { words: draft }),
  "GET /data": looker(),
  "GET /data/:id{[0-9]+}": looker(404, { words: none }),
  "GET /data/:id{[0-9]+}/:competition": looker(404, { words: { ...none, competition: "spring" } }),
  "GET /data/:id{[0-9]+}/:competition/:table": looker(404, {
    words: { ...none, competition: "spring", table: "records" },
  }),
  "GET /docs": looker(),
  "GET /docs/:path{.+}": looker(200, { words: { path: "start/participant" } }),
  "GET /problems": looker(),
  "GET /problems/:name": looker(200, { words: { name: "double" } }),
  "GET /problems/:name/files/:file": looker(200, { words: { name: "double", file: "reference.py" } }),
  "GET /problems/:name/starters/:file": looker(200, { words: { name: "double", file: "kernel.py" } }),
  "GET /compare/:a{[0-9]+}/:b{[0-9]+}": comparer(),
  "GET /problems/:name/submit": looker(200, { words: { name: "double" } }),
  "GET /moderation": moderator(),
  "GET /moderation/runs/:id{[0-9]+}": moderator(200, { words: { id: "RUN" } }),
  "GET /moderation/decisions/:id{[0-9]+}": moderator(404, { words: none }),
  "GET /admin": organiser(),
  "GET /admin/competitions": organiser(),
  "GET /admin/competitions/new": organiser(),
  "GET /admin/competitions/:name": organiser(),
  // The competition is not a course.
  "GET /competitions/:name/course": session(),
  "POST /competitions/:name/course": form(),
  "GET /admin/competitions/:name/course": organiser(),
  "GET /admin/competitions/:name/course/grades.csv": organiser(404),
  "GET /admin/competitions/:name/course/similar/:problem": organiser(404, { words: { problem: "triple" } }),
  "GET /admin/competitions/:name/course/lti": organiser(404),
  "POST /admin/competitions/:name/course/lti": form("organiser"),
  "POST /admin/competitions/:name/course/lti/send": form("organiser"),
  "POST /admin/competitions/:name/course/lti/revoke": form("organiser"),
  "POST /admin/competitions/:name/course": form("organiser"),
  "POST /admin/competitions/:name/course/roster": form("organiser"),
  "POST /admin/competitions/:name/course/platform-roster": form("organiser"),
  "POST /admin/competitions/:name/course/extensions": form("organiser"),
  "POST /admin/competitions/:name/course/release": form("organiser"),
  "POST /admin/competitions/:name/course/remove": form("organiser"),
  "GET /admin/learning-platforms": administrator(),
  "POST /admin/learning-platforms": form("administrator"),
  "POST /admin/learning-platforms/remove": form("administrator"),
  "POST /admin/learning-platforms/registration": form("administrator"),
  "GET /lti/register": anyone(404, { query: "?token=unknown&openid_configuration=https://lms.example" }),
  "GET /lti/jwks": anyone(),
  // The platform is unknown, the state is missing, and the launch does not exist.
  "GET /lti/login": anyone(404, { query: "?iss=https://lms.example&login_hint=1" }),
  "POST /lti/login": anyone(422),
  "POST /lti/launch": anyone(400),
  "GET /lti/continue/:secret{[A-Za-z0-9_-]{43}}": looker(404),
  "POST /lti/continue/:secret{[A-Za-z0-9_-]{43}}": form("anyone"),
  "GET /lti/deep-link/:secret{[A-Za-z0-9_-]{43}}": session(),
  "POST /lti/deep-link/:secret{[A-Za-z0-9_-]{43}}": form(),
  "GET /lti/deep-link/:secret{[A-Za-z0-9_-]{43}}/response": anyone(404),
  "GET /admin/competitions/:name/invites": organiser(),
  "GET /admin/competitions/:name/invites.txt": organiser(),
  "GET /admin/problems": organiser(),
  "GET /admin/runners": administrator(),
  "GET /admin/runners/:id{[0-9]+}": administrator(404, { words: none }),
  "GET /admin/accounts": administrator(),
  "GET /admin/accounts/:id": administrator(200, { words: { id: "ACCOUNT" } }),
  "GET /admin/launchers": administrator(),
  "GET /admin/audit": administrator(),
  "GET /admin/audit/export": administrator(),
  "GET /downloads/:name": anyone(200, { words: { name: "SHA256SUMS" } }),
  "GET /install.sh": anyone(),
  "GET /install-runner.sh": anyone(),
  "GET /assets/:name": anyone(200, { words: { name: basename(assets.paths.style) } }),
  "GET /pictures/:name{[A-Za-z0-9_-]+\\.png}": anyone(404, {
    words: { name: "e30.png" },
  }),

  "GET /account": session(),
  "GET /account/export": session(),
  "GET /account/erase": session(),
  "GET /admin/accounts/:id/erase": administrator(200, { words: { id: "ACCOUNT" } }),
  "POST /moderation/runs/:id{[0-9]+}/act": form("moderator"),
  "POST /moderation/decisions/:id{[0-9]+}/answer": form("moderator"),
  "POST /admin/gate": form("administrator"),
  "POST /admin/launches/:name/end": form("administrator"),
  "POST /admin/runner-tokens": form("administrator"),
  "POST /admin/runner-tokens/:id{[0-9]+}/revoke": form("administrator"),
  "POST /admin/runners/:id{[0-9]+}/pause": form("administrator"),
  "POST /admin/runners/:id{[0-9]+}/drain": form("administrator"),
  "POST /admin/runners/:id{[0-9]+}/resume": form("administrator"),
  "POST /admin/runners/:id{[0-9]+}/revoke": form("administrator"),
  "POST /admin/accounts": form("administrator"),
  "POST /admin/accounts/:id/roles": form("administrator"),
  "POST /admin/accounts/:id/erase": form("administrator"),
  "POST /admin/accounts/:id/export": form("administrator"),
  "POST /admin/accounts/:id/link": form("administrator"),
  "POST /admin/accounts/:id/ban": form("administrator"),
  "POST /admin/accounts/:id/unban": form("administrator"),
  "POST /admin/competitions": form("organiser"),
  "POST /admin/competitions/:name": form("organiser"),
  "POST /admin/competitions/:name/close": form("organiser"),
  "POST /admin/competitions/:name/invite-links": form("organiser"),
  "POST /admin/competitions/:name/invite-links/:id{[0-9]+}/revoke": form("organiser"),
  "POST /admin/competitions/:name/invite-links/sign-in": form("organiser"),
  "POST /admin/competitions/:name/invites": form("organiser"),
  "POST /admin/competitions/:name/invites/revoke": form("organiser"),
  "POST /admin/problems/take": form("organiser"),
  "POST /admin/problems/:name/close": form("organiser"),
  "POST /admin/problems/:name/retire": form("organiser"),
  "POST /admin/problems/:name/open": form("organiser"),
  "POST /admin/problems/:name/rerun": form("organiser"),
  "GET /account/decisions": session(),
  "POST /account/decisions/:id{[0-9]+}/appeal": form(),
  "GET /account/webhooks": session(),
  "POST /account/webhooks": form(),
  "GET /account/webhooks/:id{[0-9]+}": session(),
  "POST /account/webhooks/:id{[0-9]+}/test": form(),
  "POST /account/webhooks/:id{[0-9]+}/pause": form(),
  "POST /account/webhooks/:id{[0-9]+}/resume": form(),
  "POST /account/webhooks/:id{[0-9]+}/delete": form(),
  "POST /account/webhooks/:id{[0-9]+}/deliveries/:delivery{msg_[0-9a-f]+}/redeliver": form(undefined, {
    words: { delivery: `msg_${CODE}` },
  }),
  "POST /kernelbench/submit": form(),
  "POST /kernelbench/entries/:id{[0-9]+}/stop": form(),
  "POST /kernelbench/entries/:id{[0-9]+}/resume": form(),
  "POST /kernelbench/entries/:id{[0-9]+}/publish": form(),
  "POST /competitions/:name/teams": form(),
  "POST /competitions/:name/teams/join": form(),
  "POST /competitions/:name/teams/rename": form(),
  "POST /competitions/:name/teams/leave": form(),
  "POST /competitions/:name/teams/remove": form(),
  "POST /problems/:name/submit": form("anyone", { words: { name: "double" } }),
  "POST /data": form(),
  "POST /data/:id{[0-9]+}/publish": form(),
  "POST /account/name": form(),
  "POST /account/erase": form(),
  "POST /account/anonymity": form(),
  "POST /account/tokens": form(),
  "POST /account/tokens/:id{[0-9]+}/revoke": form(),
  "POST /account/sessions/:id{[0-9]+}/end": form(),
  "POST /account/link/:provider{discord|github|google|oidc}": form(),
  "POST /account/link/email": form(),
  "POST /account/unlink": form(),
  "GET /kernelgym/health": anyone(),
  "POST /kernelgym/evaluate": submitter(400, { body: {} }),
  "POST /kernelgym/evaluate/batch": submitter(400, { body: {} }),
  "POST /kernelgym/workflow/submit": submitter(400, { body: {} }),
  "GET /kernelgym/workflow/results/:id": reader(404, { words: none }),
  "GET /kernelgym/results/:id": reader(404, { words: none }),
  "GET /kernelgym/status/:id": reader(404, { words: none }),
  "DELETE /kernelgym/tasks/:id": submitter(404, { words: none }),
  "GET /openenv/:problem/health": row("client")(200, { words: double }),
  "GET /openenv/:problem/metadata": row("client")(200, { words: double }),
  "GET /openenv/:problem/schema": anyone(),
  "GET /openenv/:problem/openapi.json": anyone(200, { words: double }),
  "GET /openenv/:problem/openenv.yaml": anyone(200, { words: double }),
  "POST /openenv/:problem/reset": submitter(200, { words: double, body: {} }),
  "POST /openenv/:problem/step": submitter(404, { words: nothing, body: { action: { ticket: "1-1" } } }),
  "GET /openenv/:problem/state": anyone(),
  "POST /openenv/:problem/mcp": anyone(200, { body: {} }),
  "GET /openenv/:problem/ws": anyone(400),
  "GET /link-popcorn": session(),
  "POST /link-popcorn": form(),
  "GET /join/:secret{[A-Za-z0-9_-]{43}}": looker(404),
  "POST /join/:secret{[A-Za-z0-9_-]{43}}": form("anyone"),
  "GET /join/:code": session(),
  "POST /join/:code": form(),
  "GET /submissions": session(),
  "GET /submissions/:id{[0-9]+}/compare": anyone(303, { query: "?with=1" }),
  "POST /submissions/:id{[0-9]+}/cancel": form(),
  "POST /submissions/:id{[0-9]+}/remove": form(),
  "POST /submissions/:id{[0-9]+}/appeal": form(),
  "GET /device": session(),
  "POST /device": form(),
  "POST /device/decide": form(),
  "GET /sign-in": looker(),
  "GET /sign-in/email": looker(404, { query: "?token=none" }),
  "POST /sign-in/email": form("anyone"),
  "POST /sign-in/email/link": form("anyone"),
  "POST /sign-in/:provider{discord|github|google|oidc}": form("anyone"),
  "GET /sign-in/:provider{discord|github|google|oidc}/callback": anyone(404, { query: "?state=a&code=b" }),
  "GET /sign-in/link": anyone(404, { query: "?token=none" }),
  "POST /sign-in/link": form("anyone"),
  "POST /sign-out": form("anyone"),
  "POST /theme": form("anyone"),

  // This server has no GitHub App.
  "POST /api/v1/kernelbench/github": anyone(404),
  "POST /api/v1/discord/interactions": anyone(404),

  "GET /health": anyone(),
  "GET /auth/init": anyone(400),
  "GET /leaderboards": looker(),
  "GET /gpus/:leaderboard": looker(),
  "GET /runner_queue/:gpu": anyone(),
  "GET /submissions/:leaderboard/:gpu": looker(),
  "GET /submission_count/:leaderboard/:gpu": looker(),
  "GET /user/submissions": reader(),
  "GET /user/submissions/:id": ownerRead(),
  "DELETE /user/submissions/:id": ownerAct(),
  "POST /user/join": submitter(404, { body: { code: CODE } }),
  "POST /submission/:leaderboard/:gpu/:mode": submitter(202, { body: upload() }),
  "POST /profile/:leaderboard/:gpu": submitter(200, { body: upload() }),
  "POST /:leaderboard/:gpu/:mode": submitter(200, { body: upload() }),
  "POST /admin/stop": administrator(),
  // Follows `/admin/stop`, so that submissions are accepted again.
  "POST /admin/start": administrator(),
  "GET /admin/stats": moderator(),
  "GET /admin/submissions/:id": moderator(),
  "DELETE /admin/submissions/:id": firstModerator(),
  "DELETE /admin/submissions": moderator(400),
  "POST /admin/leaderboards/:leaderboard/visibility": organiser(404, { words: nothing }),
  "GET /admin/leaderboards/:leaderboard/rate-limits": organiser(),
  "PUT /admin/leaderboards/:leaderboard/rate-limits": organiser(404, { words: nothing }),
  "DELETE /admin/leaderboards/:leaderboard/rate-limits/:category": organiser(404, { words: nothing }),
  // Without the X-Popcorn-Cli-Id of a participant.
  "POST /admin/submission/:leaderboard/:gpu/:mode": organiser(400),
  "POST /admin/leaderboards": organiser(404, { body: { directory: "nothing" } }),
  "DELETE /admin/leaderboards/:leaderboard": organiser(404, { words: nothing }),
  "GET /admin/leaderboards/:leaderboard/submissions": moderator(),
  "GET /admin/leaderboards/:leaderboard/invites": organiser(200, { words: { leaderboard: "triple" } }),
  "POST /admin/update-problems": administrator(400, { body: { repository: "nothing" } }),
  "POST /admin/export-hf": administrator(400, { body: { leaderboard_ids: [999_999], filename: "a.parquet" } }),
  "POST /admin/ban/:user": moderator(404),
  "DELETE /admin/ban/:user": moderator(404),
  "POST /admin/invites": organiser(404, { body: { leaderboard: "nothing" } }),
  "DELETE /admin/invites/:code": organiser(404),
};

const WORDS: Record<string, string> = {
  name: "spring",
  board: "double",
  target: "cpu",
  leaderboard: "double",
  gpu: "cpu",
  provider: "github",
  mode: "test",
  user: "missing",
  category: "test",
  code: CODE,
  secret: "A".repeat(43),
  version: "0".repeat(64),
  suite: "tiny",
  level: "1",
  problem: "2",
  baseline: "nothing",
};

let testServer: TestServer;
let tokens: Tokens;
/** A passed ranked submission of the owner: its id, its run, and the owner's account. */
let passed: { id: number; runId: number; accountId: string };
/** A draft entry of the owner. */
let entry: number;
/** A batch of the owner and its evaluation. */
let evaluated: CreatedEvaluations;
/** A session of the owner. */
let opened: EvaluationSession;
/** The seed of that run, and the problems' secrets from which seeds are derived. */
let secret: string[];

beforeAll(async () => {
  testServer = await openTestServer();
  const { database } = testServer;
  tokens = await visitorsOf(testServer);
  await createCompetition(database, await authenticate(database, tokens.organiser ?? ""), SPEC);
  const box = await runner(database);
  const id = await ownSubmission("ranked");
  const run = await claimed(database, box);
  await reported(database, box, run, passing("ranked"));
  passed = { id, runId: run.runId, accountId: run.account };
  await withSuite(database, await authenticate(database, tokens.organiser ?? ""));
  entry = (await entered(database, await authenticate(database, tokens.owner ?? ""))).id;
  evaluated = await createBatch(
    database,
    await authenticate(database, tokens.owner ?? ""),
    [EvaluationRequest.parse(toEvaluate)],
    { limits: DEFAULT_EVALUATION_LIMITS },
  );
  const owner = await authenticate(database, tokens.owner ?? "");
  opened = await openSession(database, owner, { problem: "double", ...sessionBudget });
  const secrets =
    await database.sql`select encode(secret, 'hex') as hex, encode(secret, 'base64') as base64 from seed_master`;
  secret = [run.seed, ...secrets.flatMap(({ hex, base64 }) => [String(hex), String(base64)])];
});
afterAll(() => testServer[Symbol.asyncDispose]());

/** Returns the id of a new submission of the owner. */
async function ownSubmission(mode: "test" | "ranked" = "test"): Promise<number> {
  return submitted(testServer.database, await authenticate(testServer.database, tokens.owner ?? ""), { mode });
}

async function address(method: string, path: string, { words = {}, query = "" }: Row): Promise<string> {
  // Changes are made to a submission that no other request needs.
  const id = method === "GET" || !path.includes(":id") ? passed.id : await ownSubmission();
  const own: Record<string, string> = { ...WORDS, id: String(id), a: String(id), b: String(id), ...words };
  const values: Record<string, string> = {
    ...{ RUN: String(passed.runId), ACCOUNT: passed.accountId, ENTRY: String(entry) },
    ...{ EVALUATION: String(evaluated.ids[0]), BATCH: String(evaluated.batch), SESSION: String(opened.id) },
  };
  const word = (name: string): string => values[own[name] ?? ""] ?? own[name] ?? "";
  return (
    path.replace(/:(\w+)(\{(?:[^{}]|\{[^}]*\})*\})?/g, (_, name: string) => word(name)) +
    query.replaceAll("ID", String(id))
  );
}

type Door = (visitor: Visitor) => Record<string, string>;
const bearer: Door = (visitor) => (tokens[visitor] === undefined ? {} : { authorization: `Bearer ${tokens[visitor]}` });
const cliId: Door = (visitor) => (tokens[visitor] === undefined ? {} : { "x-popcorn-cli-id": tokens[visitor] ?? "" });

async function statuses(route: string, row: Row, door: Door): Promise<Record<string, number>> {
  const [method = "", path = ""] = route.split(" ");
  const at = await address(method, path, row);
  const answers: Record<string, number> = {};
  for (const visitor of VISITORS) {
    const isForm = row.body instanceof FormData || row.body instanceof URLSearchParams;
    const type = isForm || row.body === undefined ? undefined : { "content-type": "application/json" };
    const body = isForm ? (row.body as FormData | URLSearchParams) : JSON.stringify(row.body);
    const headers = { ...door(visitor), ...type };
    const response = await testServer.app.request(at, { method, headers, ...(row.body !== undefined && { body }) });
    answers[visitor] = response.status;
    expect(response.headers.get("cache-control"), route).toMatch(
      route === "GET /assets/:name" ? /immutable/ : row.kind === "anyone" ? /no-cache|no-store/ : /private|no-store/,
    );
    // Streams of unfinished objects do not end by themselves.
    const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
    if (method !== "GET" || isStream) await response.body?.cancel();
    else expectNothingSecret(await response.text());
  }
  return answers;
}

/** Fails if the response contains a seed, a problem's secret or any token. */
function expectNothingSecret(text: string): void {
  const leaked = [...secret, ...Object.values(tokens)].find((each) => each !== undefined && text.includes(each));
  expect(leaked).toBeUndefined();
}

function expected({ kind, may }: Row): Record<string, number> {
  return Object.fromEntries(VISITORS.map((visitor, index) => [visitor, KINDS[kind][index] || may]));
}

/** The routes outside /api/v1, except for health. */
const PAGES = FEATURES.flatMap(({ pages = [] }) => pages);

/** Returns the name under which the table has a page or form. */
function nameOf({ method, path }: PageRoute): string {
  return `${method.toUpperCase()} ${path}`;
}

test("every route is in the table", () => {
  const routes = testServer.app.routes
    .filter(({ method }) => method !== "ALL")
    .map(({ method, path }) => `${method} ${path}`);
  expect(Object.keys(ROUTES).toSorted()).toEqual([...new Set(routes)].toSorted());
});

test("every route outside the API is declared, except for health", () => {
  const others = Object.keys(ROUTES).filter((route) => !route.includes(" /api/v1/"));
  expect([...PAGES.map(nameOf), "GET /healthz", "GET /readyz"].toSorted()).toEqual(others.toSorted());
});

test("every page and form declares the access that the table states", () => {
  const stated = PAGES.map((route) => {
    const row = ROUTES[nameOf(route)];
    return [nameOf(route), row?.access ?? (row && ACCESS[row.kind])];
  });
  expect(Object.fromEntries(PAGES.map((route) => [nameOf(route), route.access]))).toEqual(Object.fromEntries(stated));
});

const [last = [], others = []] = [true, false].map((isLast) =>
  Object.entries(ROUTES).filter(([, row]) => (row.isLast ?? false) === isLast),
);

test.each(others)("%s answers each visitor as the table says", async (route, row) => {
  expect(await statuses(route, row, bearer)).toEqual(expected(row));
});

/** The routes of the popcorn client, which sends its token in a separate header. */
const BY_CLI_ID = FEATURES.filter(({ name }) => name === "popcorn")
  .flatMap(({ pages = [] }) => pages.map(nameOf))
  .filter((route) => !route.includes("/link-popcorn"))
  .filter((route) => !route.includes("/admin/"))
  .map((route) => [route, ROUTES[route] as Row] as const);

test.each(BY_CLI_ID)("%s knows its visitors by cli_id too", async (route, row) => {
  // With a `cli_id`, public routes require the scope `read`, which a runner's token lacks.
  const runner = row.kind === "looker" ? 403 : undefined;
  expect(await statuses(route, row, cliId)).toEqual({ ...expected(row), ...(runner && { runner }) });
});

test("administrator actions require a bearer token: a cli_id is not enough", async () => {
  expect((await statuses("GET /admin/stats", moderator(), cliId))["administrator"]).toBe(401);
});

test.each(last)("%s answers each visitor as the table says, and ends the token", async (route, row) => {
  expect(await statuses(route, row, bearer)).toEqual(expected(row));
  expect((await testServer.ask("/api/v1/account", tokens.owner)).status).toBe(401);
});
