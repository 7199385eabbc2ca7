/** Tests of the admin, moderation and account pages, with hostile text in every field that a user controls. */
import {
  CompetitionSpec,
  FLAG_CHECKS,
  WEBHOOK_EVENTS,
  type AccountHistory,
  type Decision,
  type JoinToken,
  type Launch,
  type LauncherTarget,
  type RunnerDetail,
} from "@kernelbot/core";
import { expect, test } from "vitest";
import {
  COMPETITION,
  HOSTILE,
  NOW,
  PASSED,
  QUEUED,
  ROW,
  submissionOf,
  visitBy,
} from "@kernelbot/testing/web/examples.ts";
import { appealPage } from "../moderation/appeal.ts";
import { inspectionPage } from "../moderation/inspection.ts";
import type { InspectionPage } from "../moderation/inspection-page-data.ts";
import { inQueue, moderationPage } from "../moderation/queue.ts";
import { ownDecisionsPage } from "../account/decisions.ts";
import { teamsPage } from "../competition/teams.ts";
import { webhookPage, webhooksPage } from "../account/webhooks.ts";
import { adminAccountPage } from "./account.ts";
import { accountsPage } from "./accounts.ts";
import { auditPage } from "./audit.ts";
import { competitionFormPage } from "./competition-form.ts";
import { fieldMoment, fieldsOf } from "./competition-fields.ts";
import { adminCompetitionsPage } from "./competitions.ts";
import { invitesPage } from "./invites.ts";
import { launchersPage } from "./launchers.ts";
import { adminOverviewPage } from "./overview.ts";
import { adminProblemsPage } from "./problems.ts";
import { adminRunnerPage } from "./runner.ts";
import { adminRunnersPage } from "./runners.ts";

const AT = "2026-03-01T14:05:00.000Z";
const visit = visitBy(HOSTILE, ["administrator"]);
const account = { id: HOSTILE, name: HOSTILE };
const outcome = { done: HOSTILE, problem: HOSTILE };
const competition = { ...COMPETITION, title: HOSTILE, description: HOSTILE, organisers: [account], teamSize: 3 };

const DECISION: Decision = {
  id: 5,
  at: AT,
  act: "reject",
  account,
  submissionId: 7,
  runId: 3,
  reason: HOSTILE,
  appeal: { at: AT, text: HOSTILE },
  answer: null,
};

const HISTORY: AccountHistory = {
  account,
  roles: ["moderator"],
  createdAt: AT,
  ban: { at: AT, reason: HOSTILE },
  submissions: 3,
  ranked: 2,
  waiting: 1,
  decisions: [DECISION],
};

const SUMMARY = {
  ...account,
  roles: [],
  assignedRoles: [],
  groupRoles: [],
  banReason: HOSTILE,
  weight: 1,
  providers: ["github" as const],
  createdAt: AT,
};

const INSPECTION: InspectionPage = {
  visit,
  inspection: {
    run: { ...PASSED, verdict: "quarantined", score: null, message: HOSTILE },
    account,
    flags: FLAG_CHECKS.map((check) => ({ check, at: AT, message: HOSTILE, by: account, evidenceRunId: 4 })),
    similar: [
      {
        submissionId: 2,
        account,
        fileName: HOSTILE,
        earlier: true,
        similarity: 0.976,
        diff: [{ lines: [{ kind: "added", text: HOSTILE, a: null, b: 1 }] }],
      },
    ],
  },
  submission: { ...submissionOf(PASSED), fileName: HOSTILE },
  source: `import torch\n\nx = "${HOSTILE}"\n`,
  history: HISTORY,
  expectedRank: {
    rank: 2,
    entries: 2,
    better: null,
    around: [
      { rank: 1, result: ROW, entry: { ...ROW, account } },
      { rank: 2, result: ROW, entry: null },
    ],
  },
  waiting: { at: 1, of: 2, next: 4 },
  query: { kind: "speed_of_light", problem: "vectoradd" },
  problem: HOSTILE,
  reason: HOSTILE,
};

const WEBHOOK = {
  id: 1,
  url: HOSTILE,
  events: [...WEBHOOK_EVENTS],
  boards: [{ board: "a", target: "cpu" }],
  competition: "spring",
  state: "paused" as const,
  pauseReason: HOSTILE,
  failures: 3,
  createdAt: AT,
};

const RUNNER: RunnerDetail = {
  ...{ id: 3, target: "cpu", name: HOSTILE, tokenId: 8, label: HOSTILE, hostname: HOSTILE, model: HOSTILE },
  ...{
    testerVersion: HOSTILE,
    sandbox: "none",
    firstSeenAt: AT,
    lastSeenAt: AT,
    state: "gone",
    revoked: false,
    load: 9,
  },
  ...{ refused: HOSTILE, adminState: "paused", reason: HOSTILE, adminStateBy: account, adminStateAt: AT, runs: [] },
  attempts: { ended: 9, failed: 1, infraErrors: 2, infraErrorsInRow: 1, lastError: { at: AT, message: HOSTILE } },
  canary: { at: AT, timesNs: null, failure: HOSTILE, baselineNs: [1, 1], drift: 0.2, bound: 0.1 },
  canaries: [{ at: AT, timesNs: null, failure: HOSTILE }],
  machine: {
    ...{ hostname: HOSTILE, os: HOSTILE, arch: HOSTILE, memoryBytes: 1, runtime: HOSTILE, driver: HOSTILE },
    cpu: { model: HOSTILE, count: 1, clockMhz: null, measured: null },
    accelerators: [{ model: HOSTILE, memoryBytes: 1, architecture: HOSTILE, clockMhz: null, measured: null }],
    ...{ python: HOSTILE, frameworks: { [HOSTILE]: HOSTILE }, sandbox: "none", testerVersion: HOSTILE },
  },
};
const JOIN_TOKEN: JoinToken = {
  ...{ id: 8, label: HOSTILE, account, targets: ["cpu"], runners: 2, joined: 1 },
  ...{ createdAt: AT, expiresAt: null, lastUsedAt: null },
};
const INVITE_LINK = {
  id: 7,
  competition: "spring",
  maxUses: 40,
  createdBy: { id: "o", name: HOSTILE },
  createdAt: "2026-01-01T00:00:00.000Z",
  expiresAt: "2026-01-15T00:00:00.000Z",
  revokedAt: null,
  uses: [{ account: { id: "1", name: HOSTILE }, at: "2026-01-02T00:00:00.000Z", registered: true }],
};
const INVITE = {
  code: "0".repeat(32),
  competitions: ["spring"],
  createdAt: AT,
  claimedBy: account,
  claimedAt: AT,
  revokedAt: null,
};

const LAUNCHER: LauncherTarget = {
  launcher: "cloud",
  kind: "slurm",
  target: "H100",
  open: 1,
  maxRunners: 4,
  ratePerHour: 3.95,
  spentToday: 99.999,
  spentThisMonth: 1234.5,
  budgetPerDay: 100,
  budgetPerMonth: null,
  explanation: `tries again: ${HOSTILE}`,
  onHold: true,
};

const LAUNCH: Launch = {
  id: 3,
  launcher: "cloud",
  target: "H100",
  name: "kernelbot-0123456789ab",
  state: "failed",
  ending: false,
  externalId: HOSTILE,
  createdAt: AT,
  joinedAt: null,
  endedAt: AT,
  endsBy: AT,
  cost: 0.25,
  error: HOSTILE,
  retryAt: AT,
};

const PAGES: Record<string, () => Promise<string>> = {
  queue: () =>
    moderationPage({
      visit,
      items: [
        {
          runId: 3,
          submissionId: 7,
          account,
          board: "vectoradd",
          target: "cpu",
          fileName: HOSTILE,
          verdict: "passed",
          finishedAt: AT,
          flags: INSPECTION.inspection.flags,
          review: PASSED.review,
        },
      ],
      appeals: [{ ...DECISION, decidedBy: account }],
      counts: { runs: 1, checks: [{ check: "speed_of_light", runs: 1 }], problems: [{ problem: HOSTILE, runs: 1 }] },
      query: { problem: "vectoradd" },
      done: HOSTILE,
    }),
  inspection: () => inspectionPage(INSPECTION),
  launchers: () =>
    launchersPage({
      visit,
      targets: [LAUNCHER],
      launches: [LAUNCH, { ...LAUNCH, id: 4, state: "joined", endedAt: null }],
    }),
  appeal: () =>
    appealPage({
      visit,
      decision: { ...DECISION, decidedBy: account },
      history: { ...HISTORY, decisions: [DECISION, { ...DECISION, id: 6 }] },
      query: {},
      problem: HOSTILE,
      reason: HOSTILE,
    }),
  overview: () =>
    adminOverviewPage({
      visit,
      facts: {
        ...{ version: HOSTILE, startedAt: AT, postgres: HOSTILE, problemsFolder: HOSTILE, accepts: false },
        ...{ databaseBytes: 1, artifactBytes: 1, accounts: 1, submissions: 1, queued: 1, running: 1 },
        backup: { takenAt: AT, address: HOSTILE, backupError: HOSTILE, testedAt: AT, testError: HOSTILE },
      },
      competitions: [competition],
      now: NOW,
      outcome,
    }),
  runners: () =>
    adminRunnersPage({
      visit,
      runners: [RUNNER],
      tokens: [JOIN_TOKEN],
      server: HOSTILE,
      made: { ...JOIN_TOKEN, scopes: ["runner"], current: false, token: HOSTILE, warnings: [HOSTILE] },
      outcome,
    }),
  runner: () => adminRunnerPage({ visit, runner: RUNNER, reason: HOSTILE, outcome }),
  competitions: () => adminCompetitionsPage({ visit, competitions: [competition], now: NOW, outcome }),
  competition: () =>
    competitionFormPage({
      visit,
      fields: { ...fieldsOf(competition), startsAt: HOSTILE, teamSize: HOSTILE },
      competition,
      links: [],
      choices: [HOSTILE],
      now: NOW,
      outcome,
    }),
  invites: () =>
    invitesPage({
      visit,
      competition,
      others: [competition],
      invites: [INVITE],
      links: [INVITE_LINK],
      server: HOSTILE,
      outcome,
    }),
  problems: () =>
    adminProblemsPage({
      visit,
      span: { from: 1, to: 1, of: 1 },
      problems: [
        {
          ...{ name: "a", set: HOSTILE, version: HOSTILE, updatedAt: AT, competition: "spring", closesAt: null },
          versions: [
            {
              ...{ hash: HOSTILE, createdAt: AT, source: HOSTILE, revision: HOSTILE, by: HOSTILE },
              changes: [{ kind: "files", words: HOSTILE }],
            },
            { hash: HOSTILE, createdAt: AT, changes: [], source: null, revision: null, by: null },
          ],
          source: HOSTILE,
          boards: [{ target: "cpu", accepts: true, revision: 2 }],
          submissions: 2,
        },
      ],
      folder: HOSTILE,
      now: NOW,
      outcome,
      broken: [{ path: HOSTILE, message: HOSTILE }],
    }),
  accounts: () =>
    accountsPage({
      visit,
      accounts: [SUMMARY],
      query: { search: HOSTILE },
      more: true,
      made: { url: HOSTILE, account, expiresAt: AT },
      typed: HOSTILE,
      outcome,
    }),
  account: () => adminAccountPage({ visit, account: SUMMARY, history: HISTORY, reason: HOSTILE, outcome }),
  audit: () =>
    auditPage({
      visit,
      entries: [{ id: 1, at: AT, account, act: HOSTILE, subject: `run ${HOSTILE}`, detail: { [HOSTILE]: [HOSTILE] } }],
      acts: [HOSTILE],
      query: { account: HOSTILE },
      more: true,
    }),
  teams: () =>
    teamsPage({
      visit,
      competition,
      teams: [{ id: 1, name: HOSTILE, members: [account], code: "0".repeat(32) }],
      now: NOW,
      mayRemove: true,
      done: HOSTILE,
      problem: HOSTILE,
      typed: { name: HOSTILE, code: HOSTILE },
    }),
  webhooks: () =>
    webhooksPage({
      visit,
      webhooks: [WEBHOOK],
      fields: { url: HOSTILE, events: [HOSTILE], boards: HOSTILE, competition: HOSTILE },
      competitions: [competition],
      made: { webhook: WEBHOOK, secret: HOSTILE },
      problem: HOSTILE,
    }),
  webhook: () =>
    webhookPage({
      visit,
      webhook: WEBHOOK,
      deliveries: [
        {
          ...{ id: "msg_1", sequence: 1, event: HOSTILE, state: "failed", createdAt: AT, tries: 2, nextTryAt: AT },
          lastTry: { at: AT, status: 500, answer: HOSTILE, error: HOSTILE },
        },
      ],
      more: true,
      problem: HOSTILE,
    }),
  decisions: () =>
    ownDecisionsPage({
      visit,
      decisions: [{ ...DECISION, appeal: null }],
      problem: HOSTILE,
      typed: { id: 5, text: HOSTILE },
    }),
};

test.each(Object.entries(PAGES))("user text is escaped on the page %s", async (_, page) => {
  const text = await page();
  expect(text).toContain("&lt;script&gt;alert(1)");
  expect(text).not.toMatch(/<script>alert|<img src=x/);
});

test("links within the moderation queue keep its filter", async () => {
  expect(inQueue("/moderation", {})).toBe("/moderation");
  expect(inQueue("/moderation/runs/3", { kind: "speed_of_light", problem: "a" })).toBe(
    "/moderation/runs/3?kind=speed_of_light&problem=a",
  );
  const page = await inspectionPage(INSPECTION);
  expect(page).toContain('href="/moderation/runs/4?kind=speed_of_light&amp;problem=vectoradd" data-key="n"');
  expect(page).toContain('<input type="hidden" name="problem" value="vectoradd" />');
});

test("a run without flags that is on no board has no decision buttons", async () => {
  const inspection = { ...INSPECTION.inspection, run: QUEUED, flags: [] };
  const page = await inspectionPage({ ...INSPECTION, inspection, waiting: null });
  expect(page).toContain("Nothing to decide");
  expect(page).not.toMatch(/value="(accept|reject|flag)"/);
});

test("an organiser sees no links to pages of administrators", async () => {
  const page = await adminCompetitionsPage({ visit: visitBy("olga", ["organiser"]), competitions: [], now: NOW });
  expect(page).toContain('href="/admin/problems"');
  expect(page).not.toMatch(/href="\/(admin\/(accounts|audit)|moderation)"/);
});

test("a date field shows seconds only if they are not zero", () => {
  expect(fieldMoment("2026-03-01T12:00:00.000Z")).toBe("2026-03-01T12:00");
  expect(fieldMoment("2026-03-01T12:00:30.000Z")).toBe("2026-03-01T12:00:30");
});

test("the competition form has a field for each setting", async () => {
  const page = await competitionFormPage({
    visit,
    fields: fieldsOf(COMPETITION),
    competition: null,
    links: [],
    choices: ["vectoradd"],
    now: NOW,
  });
  // Limits are grouped by quantity.
  const fields = new Set(
    [...page.matchAll(/name="(limits|\w+(?="))/g)].map(([, name]) => (name === "problem" ? "problems" : name)),
  );
  for (const key of Object.keys(CompetitionSpec.def.shape)) expect(fields).toContain(key);
});

test("launchers are shown with their budgets, and launches with their errors", async () => {
  const page = await launchersPage({ visit, targets: [LAUNCHER], launches: [LAUNCH] });
  const text = page.replace(/<[^>]*>/g, " ").replace(/\s+/g, " ");
  expect(text).toContain(
    "cloud H100 slurm; 3.95 per hour 1 of 4 runners 100 of 100 today 1,234.5 this month on hold tries again",
  );
  expect(text).toMatch(/kernelbot-0123456789ab H100 cloud, external ID .* failed .* 0.25/);
});

test("an active launch can be ended once", async () => {
  const open = { ...LAUNCH, state: "joined", endedAt: null, error: null, retryAt: null } as const;
  const pageOf = (launch: Launch): Promise<string> => launchersPage({ visit, targets: [LAUNCHER], launches: [launch] });
  const form = `<form method="post" action="/admin/launches/${LAUNCH.name}/end"`;
  expect(await pageOf(open)).toContain(form);
  const ending = await pageOf({ ...open, ending: true });
  expect(ending).toContain('<span class="badge care">ending</span>');
  for (const page of [ending, await pageOf(LAUNCH)]) expect(page).not.toContain(form);
});

test("the page of a server without launchers links to the guide", async () => {
  expect(await launchersPage({ visit, targets: [], launches: [] })).toContain("/docs/guides/start-runners-on-demand");
});
