import type { DuelResult, RunDetail, SideFailure } from "@kernelbot/core";
import { expect, test } from "vitest";
import { accountPage } from "./account.ts";
import { boardPage } from "./board.ts";
import { comparePage } from "./compare.ts";
import { competitionPage } from "./competition.ts";
import { deviceConfirmPage } from "./device.ts";
import { notFoundPage, refusalPage } from "./errors.ts";
import { sourcePage } from "./source.ts";
import {
  ACCOUNT,
  BOARD,
  CASE,
  COMPARED,
  COMPETITION,
  HOSTILE,
  MACHINE,
  NOW,
  PASSED,
  QUEUED,
  ROW,
  STRANGER,
  submissionOf,
  TESTS,
  TIMED,
  visitBy,
  WRONG,
} from "./examples.ts";
import { homePage } from "./home.ts";
import { joinPage } from "./join.ts";
import { signInLinkPage, signInPage } from "./sign-in.ts";
import { submissionPage } from "./submission.ts";

/** The text that a page shows, without tags. */
function textOf(page: string): string {
  return page.replace(/<[^>]*>/g, " ").replace(/\s+/g, " ");
}

test.each([
  [
    "home",
    () =>
      homePage({
        boards: [
          {
            board: "b",
            target: "cpu",
            entries: 1,
            leader: { id: "a", name: HOSTILE },
            team: null,
            bestNs: 1,
            unsandboxed: false,
          },
        ],
        competitions: [{ ...COMPETITION, title: HOSTILE }],
        now: NOW,
        server: HOSTILE,
        visit: STRANGER,
      }),
  ],
  [
    "board",
    () =>
      boardPage(
        { ...BOARD, rows: [{ ...ROW, account: { id: "a", name: HOSTILE }, fileName: HOSTILE }] },
        visitBy(HOSTILE),
      ),
  ],
  ["not found", () => notFoundPage(HOSTILE, STRANGER)],
  ["refused", () => refusalPage(HOSTILE, visitBy(HOSTILE))],
  ["sign in", () => signInPage({ providers: ["github"], next: HOSTILE, visit: visitBy(HOSTILE) })],
  ["sign-in link", () => signInLinkPage({ name: HOSTILE, token: HOSTILE, visit: visitBy("ada") })],
  [
    "device",
    () =>
      deviceConfirmPage({ visit: visitBy(HOSTILE), code: HOSTILE, scopes: ["read"], address: HOSTILE, askedAt: "" }),
  ],
  ["account", () => accountPage({ ...ACCOUNT, problem: HOSTILE })],
  [
    "source",
    () => sourcePage({ submission: { ...submissionOf(PASSED), fileName: HOSTILE }, source: HOSTILE, visit: STRANGER }),
  ],
  ["join", () => joinPage({ code: "0".repeat(32), refusal: HOSTILE, visit: visitBy(HOSTILE) })],
  [
    "competition",
    () =>
      competitionPage({
        competition: { ...COMPETITION, title: HOSTILE, description: HOSTILE },
        boards: [],
        teams: [{ id: 1, name: HOSTILE, members: [{ id: "a", name: HOSTILE }], code: null }],
        now: NOW,
        visit: visitBy(HOSTILE),
      }),
  ],
  [
    "compare",
    () =>
      comparePage(
        {
          ...COMPARED,
          a: { ...COMPARED.a, account: { id: "a", name: HOSTILE }, fileName: HOSTILE },
          comparison: {
            ...COMPARED.comparison,
            cases: COMPARED.comparison.cases.map((each) => ({ ...each, case: { name: HOSTILE } })),
            machines: [{ what: HOSTILE, a: HOSTILE, b: HOSTILE }],
          },
          diff: [{ lines: [{ kind: "same", text: HOSTILE, a: 1, b: 1 }] }],
        },
        STRANGER,
      ),
  ],
  [
    "submission",
    () =>
      submissionPage({
        submission: { ...submissionOf(WRONG), account: { id: "a", name: HOSTILE }, fileName: HOSTILE },
        runs: [
          {
            ...WRONG,
            message: HOSTILE,
            machine: {
              ...MACHINE,
              cpu: { ...MACHINE.cpu, model: HOSTILE },
              python: HOSTILE,
              frameworks: { [HOSTILE]: HOSTILE },
            },
            stages: [
              {
                ...TESTS,
                cases: [
                  {
                    ...CASE,
                    case: { name: HOSTILE },
                    status: "failed",
                    message: HOSTILE,
                    mismatch: {
                      differing: 1,
                      total: 1,
                      largestAbsolute: 1,
                      largestRelative: 1,
                      first: [{ index: [0], got: HOSTILE, expected: HOSTILE }],
                    },
                  },
                ],
              },
            ],
          },
        ],
        visit: STRANGER,
      }),
  ],
])("the page %s shows what strangers wrote as text, never as markup", async (_, make) => {
  const page = await make();
  expect(page).toContain("&lt;script&gt;alert(1)");
  expect(page).not.toMatch(/<script>|<img|onerror=[^&]*>/);
  // A quote within an attribute would end it.
  expect(page).not.toContain(`"'>`);
});

test("pages bring no script or style of their own, which the policy would refuse", async () => {
  const page = await submissionPage({ submission: submissionOf(QUEUED), runs: [QUEUED], visit: STRANGER });
  expect(page).not.toMatch(/ style=|<style| on\w+=|<script(?![^>]* src=)/);
});

test("a timed case says how much of its time the hardware floor is, where one is known", async () => {
  const floor = { ns: 1234, by: "memory", amount: 61_700, perS: 5e10, from: "measured" } as const;
  const cases = TIMED.cases.map((result, index) => (index === 0 ? { ...result, floor } : result));
  const run = { ...PASSED, stages: [{ ...TIMED, cases }] };
  const page = await submissionPage({ submission: submissionOf(run), runs: [run], visit: STRANGER });
  expect(textOf(page)).toContain("Of the hardware floor");
  expect(textOf(page)).toMatch(/1\.620× 10 % .* 1\.620× –/);
  expect(page).toContain("at least 61,700 bytes at no more than 50.00 GB/s (measured)");
  expect(await submissionPage({ submission: submissionOf(PASSED), runs: [PASSED], visit: STRANGER })).not.toContain(
    "floor",
  );
});

test("a submission on its way follows its log from the last event that the page knows", async () => {
  const page = await submissionPage({ submission: submissionOf(QUEUED), runs: [QUEUED], visit: STRANGER });
  expect(page).toContain('data-live="/submissions/7/updates?after=12&amp;places=4"');
  expect(page).toContain('<script type="module" src="/assets/live-1.js">');
  expect(textOf(page)).toContain("Queued It is number 4 in the queue.");
});

test("a submission that has ended follows nothing", async () => {
  expect(await submissionPage({ submission: submissionOf(PASSED), runs: [PASSED], visit: STRANGER })).not.toContain(
    "/assets/live-1.js",
  );
});

test("a run that passed shows its time with interval, its speed-up, its cases and its machine", async () => {
  const text = textOf(await submissionPage({ submission: submissionOf(PASSED), runs: [PASSED], visit: STRANGER }));
  expect(text).toContain("cpu Passed");
  expect(text).toContain("24.68 µs ± 1.0 % 1.620× as fast as the reference");
  expect(text).toContain("size: 65536 12.34 µs ± 1.0 % 20.00 µs ± 1.0 % 1.620×");
  expect(text).toContain("Judged on Example CPU, 2 threads (Python 3.11.2, torch 1.13.1), finished 2026-03-01 14:05");
});

test("a wrong result is told by case: how many elements differ, where, got and expected", async () => {
  const text = textOf(await submissionPage({ submission: submissionOf(WRONG), runs: [WRONG], visit: STRANGER }));
  expect(text).toContain("Failed: wrong result");
  expect(text).toContain("1,200 of 4,096 elements differ, by 0.512 at most.");
  expect(text).toContain("[2896] got nan , expected 1.25");
});

test("what a kernel printed and its traceback are not for everybody", async () => {
  const page = await submissionPage({ submission: submissionOf(WRONG), runs: [WRONG], visit: STRANGER });
  expect(page).not.toContain("printed by the owner");
  expect(page).not.toContain("Traceback of the owner");
  expect(page).not.toContain("Review for the owner");
  expect(textOf(page)).toContain("kernelbot show 7");
});

test("the files that a run left are links to downloads, and the page says how its owner gets them", async () => {
  const artifact = {
    name: "profile.0.txt",
    mediaType: "text/plain" as const,
    sizeBytes: 1536,
    sha256: "0".repeat(64),
    deletedAt: null,
  };
  const old = { ...artifact, name: "profile.1.txt", deletedAt: "2026-04-01T00:00:00.000Z" };
  const run = { ...PASSED, mode: "profile" as const, score: null, artifacts: [artifact, old] };
  const page = await submissionPage({ submission: submissionOf(run), runs: [run], visit: STRANGER });
  expect(page).toContain('<a href="/api/v1/runs/3/artifacts/profile.0.txt" download>');
  expect(textOf(page)).toContain("profile.0.txt 1.500 KiB");
  expect(page).not.toContain("artifacts/profile.1.txt");
  expect(textOf(page)).toContain("profile.1.txt deleted 2026-04-01 00:00");
  expect(textOf(page)).toContain("kernelbot show 7 --out DIR");
});

test("the platform's failure is not told as the kernel's", async () => {
  const run = { ...PASSED, verdict: "infra_error" as const, score: null };
  const text = textOf(await submissionPage({ submission: submissionOf(run), runs: [run], visit: STRANGER }));
  expect(text).toContain("Not judged");
  expect(text).toContain("The platform failed, not the kernel.");
});

test("the samples of a timed case are summed up beside those of its reference", async () => {
  const text = textOf(await submissionPage({ submission: submissionOf(PASSED), runs: [PASSED], visit: STRANGER }));
  expect(text).toContain("All samples of ranked, summed up");
  expect(text).toContain("size: 65536 , 2 rounds Submission Reference Samples 6 3");
  expect(text).toContain("Median 12.35 µs 20.00 µs");
  expect(text).toContain("Worst 98.00 µs 20.10 µs Outliers 1 (16.7 %) 0");
});

test("a stage without samples has no summary of them", async () => {
  const stages = PASSED.stages.map((stage) => ({
    ...stage,
    cases: stage.cases.map((each) => ({ ...each, rounds: [] })),
  }));
  const text = textOf(
    await submissionPage({ submission: submissionOf(PASSED), runs: [{ ...PASSED, stages }], visit: STRANGER }),
  );
  expect(text).not.toContain("summed up");
});

test("a board shows rank, account, time, speed-up and moment, and marks what was judged without a sandbox", async () => {
  const text = textOf(await boardPage(BOARD, STRANGER));
  expect(text).toMatch(/1 ada 2026-03-01 14:05 · fast\.py · autonomous: Model 1 24\.68 µs ± 1\.0 % confirmed 1\.620×/);
  expect(text).toMatch(/2 bob no sandbox 2026-02-28 23:59 · reference\.py/);
});

test("the row of a team has its name, with who is in it", async () => {
  const members = [ROW.account, { id: "b", name: "bob" }];
  const rows = [{ ...ROW, team: { id: 1, name: "Fast ones", members } }];
  expect(textOf(await boardPage({ ...BOARD, rows }, STRANGER))).toMatch(/1 Fast ones ada, bob 2026-03-01 14:05/);
});

test("what a legacy harness judged is marked, and has a dash where the speed-up would be", async () => {
  const rows = BOARD.rows.map((row) => ({ ...row, legacyHarness: true, speedup: null }));
  expect(textOf(await boardPage({ ...BOARD, rows }, STRANGER))).toMatch(
    /1 ada legacy harness .* 24\.68 µs ± 1\.0 % confirmed –/,
  );
  const score = { timeNs: { value: 1500, low: 1400, high: 1600 }, referenceNs: null, speedup: null };
  const stages = PASSED.stages.map((stage) => ({ ...stage, cases: stage.cases.map((each) => ({ ...each, score })) }));
  const run = { ...PASSED, legacyHarness: true, score, stages };
  const text = textOf(await submissionPage({ submission: submissionOf(run), runs: [run], visit: STRANGER }));
  expect(text).toContain("legacy harness");
  expect(text).toContain("1.500 µs ± 6.7 % – –");
  expect(text).not.toContain("as fast as the reference");
});

test("the first page tells who leads where, and which boards wait for a first entry", async () => {
  const led = {
    board: "sort",
    target: "cpu",
    entries: 2,
    leader: { id: "a", name: "ada" },
    team: null,
    bestNs: 1500,
    unsandboxed: true,
  };
  const open = {
    board: "sort",
    target: "H100",
    entries: 0,
    leader: null,
    team: null,
    bestNs: null,
    unsandboxed: false,
  };
  const page = await homePage({
    boards: [open, led],
    competitions: [],
    server: "http://kernels.example.org",
    now: NOW,
    visit: STRANGER,
  });
  expect(textOf(page)).toContain("sort cpu 1.500 µs ada no sandbox 2 entries H100 no entry yet");
  expect(page).toContain('href="/boards/sort/H100"');
  expect(textOf(page)).toContain("export KERNELBOT_SERVER=http://kernels.example.org");
  expect(textOf(page)).toContain("kernelbot submit my.py --board sort --target cpu --mode ranked");
});

test("the first page groups boards by competition with the time left, and practice after them", async () => {
  const board = { target: "cpu", entries: 0, leader: null, team: null, bestNs: null, unsandboxed: false };
  const boards = ["free", "vectoradd"].map((name) => ({ ...board, board: name }));
  const page = await homePage({
    boards,
    competitions: [COMPETITION],
    server: "http://localhost",
    now: NOW,
    visit: STRANGER,
  });
  expect(textOf(page)).toMatch(
    /Spring kernels 5 days left .* vectoradd cpu no entry yet Practice .* free cpu no entry yet/,
  );
  expect(page).toContain('href="/competitions/spring"');
});

test("a competition tells its time, its boards and who may read the code", async () => {
  const board = {
    board: "vectoradd",
    target: "cpu",
    entries: 0,
    leader: null,
    team: null,
    bestNs: null,
    unsandboxed: false,
  };
  const page = textOf(
    await competitionPage({ competition: COMPETITION, boards: [board], teams: [], now: NOW, visit: STRANGER }),
  );
  expect(page).toMatch(/Spring kernels 5 days left .*Boards .*vectoradd/);
  expect(page).toContain("Everybody may read the code on its boards once it has ended.");
  expect(page).toContain("Organisers olga");
});

test("a competition with teams lists them, and says how to make one", async () => {
  const competition = { ...COMPETITION, teamSize: 3 };
  const teams = [{ id: 1, name: "Fast ones", members: [{ id: "a", name: "ada" }], code: "0".repeat(32) }];
  const page = textOf(await competitionPage({ competition, boards: [], teams, now: NOW, visit: STRANGER }));
  expect(page).toMatch(/Up to 3 take part as one\. .* Fast ones ada .* kernelbot team make NAME --competition spring/);
  expect(page).not.toContain("0".repeat(32));
});

test("board and submission tell what kind of author was declared", async () => {
  expect(textOf(await boardPage(BOARD, STRANGER))).toContain("fast.py · autonomous: Model 1");
  const submission = submissionOf(PASSED);
  expect(textOf(await submissionPage({ submission, runs: [PASSED], visit: STRANGER }))).toContain(
    "Author: assisted by Model 1.",
  );
});

test("the source is linked for those who may read it, and its page shows it as text", async () => {
  const submission = submissionOf(PASSED);
  const link = 'href="/submissions/7/source"';
  expect(await submissionPage({ submission, runs: [PASSED], visit: STRANGER })).not.toContain(link);
  expect(await submissionPage({ submission, runs: [PASSED], isSourceOpen: true, visit: STRANGER })).toContain(link);
  expect(textOf(await sourcePage({ submission, source: "a < b\n", visit: STRANGER }))).toContain("a &lt; b");
});

test("an empty board says how to be the first", async () => {
  expect(textOf(await boardPage({ ...BOARD, rows: [] }, STRANGER))).toContain(
    "kernelbot submit my.py --board vectoradd --target cpu",
  );
});

test("the head of a page says who is signed in, or how to sign in", async () => {
  expect(await boardPage(BOARD, visitBy("ada"))).toContain('<a href="/account" class="who">ada</a>');
  expect(await boardPage(BOARD, STRANGER)).toContain(
    '<a href="/sign-in?next=%2Fsomewhere%3Fa%3D1" class="who">Sign in</a>',
  );
});

test("the last way into an account has no button that unlinks it", async () => {
  const [identity] = ACCOUNT.identities;
  if (identity === undefined) throw new Error("no identity");
  expect(textOf(await accountPage({ ...ACCOUNT, identities: [identity] }))).not.toContain("Unlink");
  expect(textOf(await accountPage({ ...ACCOUNT, identities: [identity, identity] }))).toContain("Unlink");
});

test("a page offers the scopes that the account has", async () => {
  const choices = async (scopes: typeof ACCOUNT.account.scopes) =>
    Array.from(
      (await accountPage({ ...ACCOUNT, account: { ...ACCOUNT.account, scopes } })).matchAll(
        /name="scope"\s+value="(\w+)"/g,
      ),
      ([, scope]) => scope,
    );
  expect(await choices(["submit", "read", "account"])).toEqual(["submit", "read", "account"]);
  expect(await choices(["read", "admin"])).toEqual(["read", "admin"]);
});

test("browsers are called by names that a person knows", async () => {
  const browsers = {
    "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0": "Firefox on Linux",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0":
      "Edge on Windows",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Safari/604.1":
      "Safari on iOS",
    "Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 Chrome/140.0 Mobile Safari/537.36": "Chrome on Android",
    "": "A browser",
  };
  for (const [browser, called] of Object.entries(browsers)) {
    const sessions = ACCOUNT.sessions.map((session) => ({ ...session, browser }));
    expect(textOf(await accountPage({ ...ACCOUNT, sessions }))).toContain(`${called} from`);
  }
});

test("a comparison says who is faster, why it compared what it did, what differs, and shows the lines that changed", async () => {
  const page = await comparePage(COMPARED, STRANGER);
  const text = textOf(page);
  expect(text).toContain("A (fast.py) is 1.250× as fast as B (slow.py) (95 % interval: 1.180× to 1.310×).");
  expect(text).toContain("Of this comparison: the machines differ.");
  expect(text).toContain("driver 580.1 none");
  expect(page).toMatch(/<tr class="removed">\s*<td class="right number">2<\/td>\s*<td class="right number"><\/td>/);
  expect(text).toContain("- return fast(data)");
  expect(text).toContain("+ return slow(data)");
  expect(page.match(/<circle/g)).toHaveLength(COMPARED.comparison.cases.length);
  expect(page).not.toMatch(/ style=|<style/);
});

test("the same source, and sources that have nothing in common, are told in words", async () => {
  expect(textOf(await comparePage({ ...COMPARED, diff: [] }, STRANGER))).toContain("Both have the same source.");
  expect(textOf(await comparePage({ ...COMPARED, diff: null }, STRANGER))).toContain("too little in common");
});

test("a duel says who won and by how much, case by case, and what was wrong with the loser", async () => {
  const { faster, ratio, cases } = COMPARED.comparison;
  const run: RunDetail = { ...PASSED, mode: "duel", score: null, stages: [{ ...TIMED, stage: "duel" }] };
  const submission = { ...submissionOf(run), rival: { fileName: HOSTILE, sourceHash: "0".repeat(64) } };
  const won: DuelResult = { faster, ratio, winner: "a", failures: { a: null, b: null }, cases };
  const page = await submissionPage({ submission, runs: [{ ...run, duel: won }], visit: STRANGER });
  expect(textOf(page)).toContain("A (fast.py) is 1.250× as fast as B (");
  expect(page).toContain("&lt;script&gt;alert(1)");
  expect(page).not.toMatch(/<script>|<img/);
  expect(page.match(/<circle/g)).toHaveLength(cases.length);
  expect(textOf(page)).toMatch(/prepare .* test .* duel /);

  const failure: SideFailure = { failureClass: "crash", message: `B: ${HOSTILE}`, detail: "traceback of B" };
  const lost: DuelResult = { faster: null, ratio: null, winner: "a", failures: { a: null, b: failure }, cases: [] };
  const other = await submissionPage({ submission, runs: [{ ...run, duel: lost }], visit: STRANGER });
  expect(textOf(other)).toMatch(/A \(fast\.py\) wins, since B \(.*\) failed \(crash\)\./);
  expect(other).not.toContain("traceback of B");
  expect(other).not.toMatch(/<script>|<img/);
});
