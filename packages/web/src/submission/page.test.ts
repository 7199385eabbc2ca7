import type { DuelResult, EvaluationStep, RunDetail, SideFailure, Transcript, TranscriptStep } from "@kernelbot/core";
import { expect, test } from "vitest";
import {
  CASE,
  COMPARED,
  HOSTILE,
  MACHINE,
  PASSED,
  QUEUED,
  submissionOf,
  TESTS,
  TIMED,
  WRONG,
} from "@kernelbot/testing/web/examples.ts";
import type { SubmissionPage } from "./page-data.ts";
import { failed, asOwner, QUARANTINED, REJECTED, STATES, asAnonymous } from "@kernelbot/testing/web/submission.ts";
import { submissionPage } from "./page.ts";

const HASH = "a".repeat(64);

function noteOf(text: string): TranscriptStep {
  return { kind: "note", at: "2026-03-01T14:01:00.000Z", text };
}

function stepOf(change: Partial<EvaluationStep>): EvaluationStep {
  return {
    ...{ kind: "evaluation", at: "2026-03-01T14:01:00.000Z", endedAt: "2026-03-01T14:02:05.000Z", id: 5 },
    ...{ level: "reward", state: "done", outcome: "passed", passed: 0, total: 0, speedup: null, reward: 0 },
    ...{ rule: "log-gain@1", feedback: null, cached: false, unsandboxed: false, legacyHarness: false },
    ...{ language: "py", codeHash: HASH, ...change },
  };
}

/** Returns the transcript of these steps, whose code is the source. */
function transcriptOf(steps: TranscriptStep[], source: string): Transcript {
  return {
    ...{ session: 3, problem: "vectoradd", target: "cpu", maxEvaluations: 100, steps, sources: { [HASH]: source } },
    ...{ createdAt: "2026-03-01T14:00:00.000Z", endsAt: "2026-03-01T15:00:00.000Z" },
    ...{ stepsLeftOut: 0, sourcesLeftOut: 0 },
  };
}

/** Returns the text of the page without tags. */
async function textOf(data: SubmissionPage | undefined): Promise<string> {
  if (data === undefined) throw new Error("unknown state");
  const page = await submissionPage(data);
  return page
    .replace(/<script[^]*?<\/script>/g, "")
    .replace(/<[^>]*>/g, " ")
    .replace(/\s+/g, " ");
}

test.each(Object.entries(STATES))(
  "%s: the page has no inline script or style and no duplicate ids",
  async (_, data) => {
    const page = await submissionPage(data);
    expect(page).not.toMatch(/ style=|<style| on\w+=|<script(?![^>]* (src=|type="application\/json"))/);
    const ids = Array.from(page.matchAll(/\sid="([^"]*)"/g), ([, id]) => id);
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
  },
);

const SENTENCES: Record<string, RegExp[]> = {
  queued: [/cpu Queued/, /queue position 4, about 3 min \(2–6\) …/, /Cancel/],
  running: [/Running: ranked/, /test passed 41\.00 ms/, /ranked running, 12 of at most 40 rounds … since/, /Cancel/],
  passed: [
    /Passed 24\.68 µs ± 1\.0 % 1\.620× as fast as the reference/,
    /Rank 2 of 14 on the leaderboard , confirmed by a re-run with fresh seeds; its result is 24\.81 µs/,
  ],
  "passed, anonymous": [/Rank 1 of 14 on the leaderboard , provisional until a re-run/],
  "no entry": [/Not listed on the leaderboard/],
  "several targets and a re-run": [/Target Status .* cpu Passed .* cpu, re-run 1 .* H100 Passed 8\.123 µs/],
  "compile error": [/Failed: compile error/, /compiler log, and submit again/, /Compile log 3 lines .*blockIdxx/],
  crash: [/Failed: crash/, /Read the traceback/, /Traceback 3 lines/, /size 127 … 12,000 bytes omitted … size 4096/],
  "wrong result": [
    /Failed: wrong result/,
    /Compare the first differing elements of the failing case/,
    /test: 1 of 2 cases passed/,
  ],
  timeout: [/Failed: timeout/, /stage test took longer than 60 s/, /Reduce the work/],
  "out of memory": [/Failed: out of memory/, /Allocate fewer or smaller temporaries/],
  rejected: [/Failed: rejected/, /Write only to the output/],
  quarantined: [/Quarantined/, /below its speed-of-light bound/, /A moderator will decide/],
  "quarantined, anonymous": [/Not listed on the leaderboard until a moderator has reviewed it/],
  "rejected by a moderator": [
    /Rejected \( run 3 \)/,
    /It keeps the output of the call before/,
    /Appeal: why should this/,
  ],
  appealed: [/You appealed/, /see line 12/, /No moderator has answered yet/],
  "appeal answered": [/Appeal denied/, /Line 12 is where it does/],
  "infra error": [
    /Not judged/,
    /Most likely the platform failed, not the kernel: .*the first within an hour counts against no limit/,
  ],
  cancelled: [/Cancelled/, /prepare not run/],
  duel: [/fast\.py against slow\.py/, /A \(fast\.py\) is 1\.250× as fast as B \(slow\.py\)/],
  profile: [/profile\.0\.txt 1\.500 KiB/, /profile\.1\.txt deleted 2026-04-01 00:00/],
  "legacy harness": [/legacy harness/, /12\.34 µs ± 1\.0 %/],
  "not validated in use": [
    /In use 2 of 4 cases with a speedup of 1\.240× over the reference/,
    /n: 77 holds, slower than the reference n: 4097 unstable: in call 3, 12 outputs are not finite/,
  ],
  unsandboxed: [/no sandbox/, /Sandbox none/],
  "removed by its owner": [/Removed by its owner, 2026-03-02 08:00 \./],
  "removed by a moderator": [/Removed by a moderator, .* It was copied/, /Appeal: why should this/],
  "failed action": [/its results cannot change; ask a moderator/],
  "wrong result, anonymous": [/Failed: wrong result/, /1,200 of 4,096 elements differ/],
};

test("a preview of the page names each target once", async () => {
  const page = await submissionPage(asOwner([PASSED, { ...PASSED, id: 9, rerun: 1 }]));
  expect(page).toContain('content="vectoradd by ada: 24.68 µs on cpu."');
});

test.each(Object.entries(STATES))("%s: the page shows the status and the next step", async (state, data) => {
  const text = await textOf(data);
  expect(SENTENCES).toHaveProperty([state]);
  for (const sentence of SENTENCES[state] ?? []) expect(text).toMatch(sentence);
});

test("user text is escaped", async () => {
  const stage = {
    ...TESTS,
    output: { head: HOSTILE, tail: HOSTILE, droppedBytes: 1 },
    cases: [
      {
        ...CASE,
        case: { name: HOSTILE },
        status: "failed" as const,
        message: HOSTILE,
        mismatch: {
          differing: 1,
          total: 1,
          largestAbsolute: 1,
          largestRelative: 1,
          first: [{ index: [0], got: HOSTILE, expected: HOSTILE }],
        },
      },
      { ...CASE, index: 1, case: { name: HOSTILE } },
    ],
  };
  const timed = { ...TIMED, cases: TIMED.cases.map((each) => ({ ...each, case: { name: HOSTILE } })) };
  const run: RunDetail = {
    ...WRONG,
    message: HOSTILE,
    detail: HOSTILE,
    machine: {
      ...MACHINE,
      hostname: HOSTILE,
      cpu: { ...MACHINE.cpu, model: HOSTILE },
      python: HOSTILE,
      frameworks: { [HOSTILE]: HOSTILE },
    },
    review: PASSED.review.map((each) => ({ ...each, sentence: HOSTILE, excerpt: HOSTILE, rule: HOSTILE })),
    stages: [stage, timed],
  };
  const data = asOwner([run], {
    submission: { ...submissionOf(run), account: { id: "a", name: HOSTILE }, fileName: HOSTILE },
    competition: { name: "spring", title: HOSTILE },
    others: [{ id: 4, label: HOSTILE, target: "cpu" }],
    decisions: [{ ...REJECTED, reason: HOSTILE }],
    source: HOSTILE,
    transcript: transcriptOf([noteOf(HOSTILE), stepOf({ feedback: HOSTILE })], HOSTILE),
    problem: HOSTILE,
    typed: HOSTILE,
  });
  for (const page of [await submissionPage(data), await submissionPage({ ...data, isOwn: false, isWhole: false })]) {
    expect(page).toContain("&lt;script&gt;alert(1)");
    expect(page.replace(/<script type="application\/json">[^<]*<\/script>/g, "")).not.toMatch(
      /<script>|<img|onerror=[^&]*>/,
    );
    // A quote within an attribute would end it.
    expect(page.replace(/<script type="application\/json">[^<]*<\/script>/g, "")).not.toContain(`"'>`);
  }
});

test("a transcript has its figures, a chart and each step with its result, feedback and code", async () => {
  const speedup = (mid: number) => ({ low: mid - 0.01, mid, high: mid + 0.01 });
  const steps = [
    noteOf("first **plain**\nthen vectors"),
    stepOf({ id: 5, level: "test", outcome: "wrong_result", passed: 1, total: 2, feedback: "test case 2 differs" }),
    stepOf({ id: 6, speedup: speedup(1.25), passed: 3, total: 3 }),
    stepOf({ id: 7, speedup: speedup(1.11), passed: 3, total: 3, cached: true }),
    stepOf({ id: 8, state: "queued", outcome: null, endedAt: null }),
  ];
  const data = asOwner([PASSED], { transcript: transcriptOf(steps, "x = 1 < 2") });
  const text = await textOf(data);
  expect(text).toMatch(/4 evaluations in 2 min 05 s, best speedup 1\.250× ?\. JSON/);
  expect(text).toContain("Note after 1 min 00 s first **plain** then vectors");
  expect(text).toMatch(/Evaluation 1, level test: wrong result , 1 of 2 cases after 1 min 00 s test case 2 differs/);
  expect(text).toMatch(/Evaluation 2, level reward: passed , 3 of 3 cases, 1\.250× \(95 % CI 1\.240–1\.260×\)/);
  expect(text).toMatch(/Evaluation 4, level reward: queued/);
  expect(text).toContain("x = 1 &lt; 2");
  expect(text).toContain("From 1.250× at evaluation 2 to 1.250× at evaluation 2.");
  expect(await submissionPage(asOwner([PASSED]))).not.toContain("Transcript");
});

test("a long transcript shows its last steps, and says what was left out", async () => {
  const steps = Array.from({ length: 60 }, (_, at) => stepOf({ id: at + 1, codeHash: at === 59 ? "f" : HASH }));
  const transcript = { ...transcriptOf(steps, "y".repeat(9000)), stepsLeftOut: 3, sourcesLeftOut: 1 };
  const text = await textOf(asOwner([PASSED], { transcript }));
  expect(text).toContain("63 evaluations");
  expect(text).toContain("the first 3 evaluations, the code of 1 source.");
  expect(text).toContain("The first 10 steps are only in the JSON.");
  expect(text).not.toContain("Evaluation 13,");
  expect(text).toMatch(/Evaluation 14,.* The code a{12} is long; it is in the JSON/);
  expect(text).toContain("The code f is left out.");
});

test("terminal control sequences are removed from the output of a kernel", async () => {
  const page = await submissionPage(asOwner([failed("crash", "it crashed", "\x1b[2Jgone\x1b]0;title\x07 \u202Etxet")]));
  expect(page).toContain("gone txet");
  expect(page).not.toMatch(/\x1b|\u202E/);
});

test("the middle of a very long traceback is omitted", async () => {
  const lines = Array.from({ length: 1000 }, (_, at) => `line ${at}`).join("\n");
  const text = await textOf(asOwner([failed("crash", "it crashed", lines)]));
  expect(text).toContain("Traceback 1,000 lines");
  expect(text).toContain("line 199 … 600 lines omitted");
  expect(text).toContain("line 999");
});

test("output, traceback, review and host name are only shown to the owner", async () => {
  const secrets = ["printed by the owner", "Traceback of the owner", "Review for the owner", MACHINE.hostname];
  const [whole, open] = [await submissionPage(asOwner([WRONG])), await submissionPage(asAnonymous([WRONG]))];
  for (const secret of secrets) {
    expect(whole).toContain(secret);
    expect(open).not.toContain(secret);
  }
});

test("only the owner sees the files of a run", async () => {
  const profile = STATES["profile"];
  if (profile === undefined) throw new Error("no profile");
  const page = await submissionPage(profile);
  expect(page).toContain('<a href="/api/v1/runs/3/artifacts/profile.0.txt" download>');
  expect(page).not.toContain("artifacts/profile.1.txt");
  const other = { ...profile, isWhole: false, isOwn: false };
  expect(await submissionPage(other)).not.toContain("profile.0.txt");
});

test("a failed case shows how many elements differ, where, and by how much", async () => {
  const first = [
    { index: [0, 1], got: "1.5", expected: "1.25" },
    { index: [2, 3], got: "nan", expected: "1.25" },
  ];
  const mismatch = { differing: 1200, total: 4096, largestAbsolute: 0.51234, largestRelative: null, first };
  const stages = WRONG.stages.map((stage) => ({
    ...stage,
    cases: stage.cases.map((each) => (each.status === "failed" ? { ...each, mismatch } : each)),
  }));
  const text = await textOf(asAnonymous([{ ...WRONG, stages }]));
  expect(text).toContain("Case 2 failed size: 4096; seed: 4242");
  expect(text).toContain("1,200 of 4,096 elements differ, by 0.512 at most. The first 2:");
  expect(text).toContain("[0, 1] 1.5 1.25 +0.25 [2, 3] nan 1.25 –");
  expect(text.indexOf("Case 2 failed")).toBeLessThan(text.indexOf("test: 1 of 2 cases passed"));
});

test("a timed case shows its percentage of speed of light if the bound is known", async () => {
  const speedOfLight = { ns: 1234, by: "memory", amount: 61_700, perS: 5e10, from: "measured" } as const;
  const cases = TIMED.cases.map((result, index) => (index === 0 ? { ...result, speedOfLight } : result));
  const data = asAnonymous([{ ...PASSED, stages: [{ ...TIMED, cases }] }]);
  expect(await textOf(data)).toMatch(/% of speed of light .* 1\.620× 10 % .* 1\.620× –/);
  expect(await submissionPage(data)).toContain("at least 61,700 bytes at no more than 50.00 GB/s (measured)");
  expect(await textOf(asAnonymous([PASSED]))).not.toContain("speed of light");
});

test("where results in use are required, a provisional entry waits for them, too", async () => {
  const shown = STATES["passed, anonymous"] as SubmissionPage;
  const places = shown.places.map((place) => ({ ...place, applicationGate: "required" as const }));
  expect(await textOf({ ...shown, places })).toMatch(
    /provisional until a re-run with fresh seeds passes and its kernel is validated in use\./,
  );
});

test("a run whose machine was busy says that it is timed again", async () => {
  const queued = STATES["queued"] as SubmissionPage;
  const runs = queued.runs.map((run) => ({ ...run, pausedUntil: "2026-03-01T14:07:00.000Z" }));
  expect(await textOf({ ...queued, runs })).toContain("queue the machine was busy; timing again within 2 min");
});

test("a noisy result is marked", async () => {
  const score = PASSED.score === null ? null : { ...PASSED.score, noisy: true as const };
  expect(await textOf(asAnonymous([{ ...PASSED, score }]))).toMatch(/as fast as the reference noisy/);
});

test("the score of a board that ranks by efficiency comes before the runtime", async () => {
  const rankedBy = { ranking: "sol_score" as const, value: 0.6234, low: 0.61, high: 0.63 };
  expect(
    await textOf(asAnonymous([{ ...PASSED, score: PASSED.score === null ? null : { ...PASSED.score, rankedBy } }])),
  ).toMatch(/Passed score 0\.623 \d+\.\d+ µs ± 1\.0 %/);
});

test("the samples of a timed case have a chart, and statistics next to those of the reference", async () => {
  const page = await submissionPage(asAnonymous([PASSED]));
  expect(page).toContain('id="samples-3-ranked-0"');
  const text = await textOf(asAnonymous([PASSED]));
  expect(text).toContain(
    "6 calls in 2 rounds (limit); runtime 12.34 µs, 95 % confidence interval 12.22 µs to 12.46 µs; 1 outlier",
  );
  expect(text).toContain("the slowest at 98.00 µs (off the chart)");
  expect(text).toContain("Sample statistics of ranked");
  expect(text).toContain("size: 65536 , 2 rounds (limit) Submission Reference Samples 6 3");
  expect(text).toContain("Slowest 98.00 µs 20.10 µs Outliers 1 (16.7 %) 0");
});

test("a run without samples has no charts or statistics, and one without a reference has no speedup column", async () => {
  const text = await textOf(STATES["legacy harness"]);
  expect(text).not.toContain("Sample statistics");
  expect(text).not.toContain("Speedup");
});

test("the page of an unfinished submission follows its events after the last one shown", async () => {
  const page = await submissionPage(asAnonymous([QUEUED]));
  expect(page).toContain('data-live="/submissions/7/updates?after=12&amp;places=4-online"');
  expect(page).toContain('<script type="module" src="/assets/live-1.js">');
  expect(await submissionPage(asAnonymous([PASSED]))).not.toContain("/assets/live-1.js");
});

test("the page shows the author, the machine, the versions and how to verify the receipt", async () => {
  const text = await textOf(asAnonymous([PASSED]));
  expect(text).toContain("Author assisted by Model 1");
  expect(text).toContain("Judged on Fast CPU, 2 threads");
  expect(text).toContain("Python 3.13.1 torch 2.9.0 Sandbox bubblewrap Tester 1 Problem version 000000000000");
  expect(text).toContain("Signed receipt Verify it with kernelbot verify receipt-3.json");
  expect(await textOf(asAnonymous([QUARANTINED]))).not.toContain("receipt");
});

test("only viewers who may read the source see it", async () => {
  expect(await submissionPage(asAnonymous([PASSED]))).not.toContain("/submissions/7/source");
  const page = await submissionPage({ ...asAnonymous([PASSED]), source: "a < b\n" });
  expect(page).toContain('href="/submissions/7/source"');
  expect(page).toContain("a &lt; b");
});

test("a visitor has no buttons, and an owner those of the possible actions", async () => {
  expect(await submissionPage(asAnonymous([QUEUED]))).not.toContain('action="/submissions');
  const queued = await submissionPage(asOwner([QUEUED]));
  expect(queued).toContain('action="/submissions/7/cancel"');
  expect(queued).toContain('action="/submissions/7/remove"');
  expect(queued).toContain('href="/problems/vectoradd/submit?from=7"');
  const passed = STATES["passed"];
  expect(passed && (await submissionPage(passed))).toContain('href="/compare/7/4?target=cpu"');
});

test("the text of a rejected appeal is kept", async () => {
  const page = await submissionPage(
    asOwner([PASSED], { decisions: [REJECTED], problem: "use at most 4000 characters", typed: "It does not." }),
  );
  expect(page).toMatch(/<textarea[^>]*>It does not\.<\/textarea>/);
  expect(page).toContain('role="alert"');
});

test("a duel shows the winner, the ratio of each case and the failure of the loser", async () => {
  const { faster, ratio, cases } = COMPARED.comparison;
  const run: RunDetail = { ...PASSED, mode: "duel", score: null, stages: [{ ...TIMED, stage: "duel" }] };
  const submission = { ...submissionOf(run), rival: { fileName: HOSTILE, sourceHash: "0".repeat(64) } };
  const won: DuelResult = { faster, ratio, winner: "a", failures: { a: null, b: null }, cases };
  const page = await submissionPage({ ...asAnonymous([{ ...run, duel: won }]), submission });
  expect(page).toContain("&lt;script&gt;alert(1)");
  expect(page.match(/class="point"/g)).toHaveLength(cases.length);

  const failure: SideFailure = { failureClass: "crash", message: `B: ${HOSTILE}`, detail: "traceback of B" };
  const lost: DuelResult = { faster: null, ratio: null, winner: "a", failures: { a: null, b: failure }, cases: [] };
  const data = { ...asAnonymous([{ ...run, duel: lost }]), submission };
  expect(await textOf(data)).toMatch(/A \(fast\.py\) wins, since B \(.*\) failed \(crash\)\./);
  expect(await textOf(data)).not.toContain("traceback of B");
  expect(await textOf({ ...data, isWhole: true })).toContain("traceback of B");
});

test("the result, the next step and the source come before the details, and the timeline of a finished run after them", async () => {
  const text = await textOf({ ...asOwner([WRONG]), source: `${"x = 1\n".repeat(39)}y = 2` });
  const order = [
    "Failed: wrong result",
    "Case 2 failed",
    "Next: ",
    "Source",
    "Show 16 more lines",
    "Details",
    "prepare",
  ];
  const places = order.map((words) => text.indexOf(words));
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect(places).not.toContain(-1);
});

test("the lines that failed to compile are links into the source", async () => {
  const log = "submission.py:2:5: error: no such function";
  const data = asOwner([failed("compile_error", "it does not compile", log)]);
  expect(await submissionPage(data)).toContain('<a class="nowrap" href="#L2">Line 2</a>');
  expect(await textOf({ ...data, source: "int a;\n  b = f();\n" })).toContain("Line 2 b = f(); no such function");
  expect(await submissionPage({ ...data, isOwn: false, isWhole: false, source: null })).not.toContain("Line 2");
});

test("the line of a crash has its code, and the exception is shown once", async () => {
  const traceback =
    'Traceback (most recent call last):\n  File "submission.py", line 2, in custom_kernel\nValueError: a\nb';
  const crash = asOwner([failed("crash", "custom_kernel raised ValueError: a\nb", traceback)]);
  const text = await textOf({ ...crash, source: "x = 1\nraise ValueError(x)\n" });
  expect(text).toContain("Line 2 raise ValueError(x) Next:");
  expect(text.split("raised ValueError")).toHaveLength(2);
});

test("the message of a run that names its failed case is shown once", async () => {
  const [stage] = WRONG.stages;
  const cases = stage?.cases.map((one) => ({
    ...one,
    mismatch: null,
    message: one.status === "failed" ? "a b" : null,
  }));
  const run = { ...WRONG, message: "test case 2: a b", stages: [{ ...stage, cases }] } as typeof WRONG;
  expect((await textOf(asOwner([run]))).split("a b")).toHaveLength(2);
});

test("the owner of a passed run sees the entry to beat, or the mode to continue with", async () => {
  expect(await textOf(STATES["passed"])).toMatch(
    /Next: rank 1 is held by bob with 12\.\d+ µs .*, a runtime 50 % shorter/,
  );
  const tested = asOwner([{ ...PASSED, mode: "test", score: null }]);
  expect(await textOf(tested)).toMatch(/Next: open it in the editor and submit it in mode benchmark/);
  expect(await textOf({ ...tested, isOwn: false })).not.toContain("Next:");
});

test.each(["x = 1  # long\n".repeat(2000), `${"\n".repeat(1001)}# long`])(
  "a source of many characters or lines is linked instead of shown",
  async (source) => {
    const log = "submission.py:2:5: error: no such function";
    const page = await submissionPage(asOwner([failed("compile_error", "it does not compile", log)], { source }));
    expect(page).toContain('href="/submissions/7/source#L2"');
    expect(page).not.toContain(`id="L2"`);
  },
);
