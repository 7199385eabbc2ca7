/** The whole command against a fake server: output, requests and exit code. */
import { createHash } from "node:crypto";
import { once } from "node:events";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import type { RunDetail } from "@kernelbot/core";
import { expect, test } from "vitest";
import { COMMANDS, TOPICS } from "./commands.ts";
import { startFakeServer, TOKEN, type World } from "@kernelbot/testing/cli/fake-server.ts";
import { workshop, type Call } from "@kernelbot/testing/cli/kernelbot.ts";
import {
  interval,
  boardOf,
  boardRow,
  checkedCase,
  caseFinished,
  finished,
  run,
  stage,
  STARTED,
  submission,
  timedCase,
  worldOf,
} from "@kernelbot/testing/cli/samples.ts";

const QUEUED = { type: "run_queued", target: "cpu", reason: null } as const;
const PASSED: World["events"][number]["event"][] = [
  QUEUED,
  STARTED,
  { type: "stage_started", stage: "prepare", cases: 0 },
  { type: "stage_finished", stage: "prepare", passed: true, durationNs: 8e8 },
  { type: "stage_started", stage: "test", cases: 2 },
  caseFinished(0),
  caseFinished(1),
  { type: "stage_finished", stage: "test", passed: true, durationNs: 5e8 },
  finished("passed"),
];

const SOURCE = "#!KERNELBOT board vectoradd\ndef custom_kernel(data): ...\n";

/** Runs one command with a file `kernel.py` in its folder. */
async function call(args: readonly string[], world: World, options: Call & { source?: string | Uint8Array } = {}) {
  using place = workshop();
  place.file("kernel.py", options.source ?? SOURCE);
  await using server = await startFakeServer(world);
  const ended = await place.kernelbot(args, { server: server.url, ...options });
  return { ...ended, server, out: ended.out.replaceAll(server.url, "SERVER") };
}

const world = (detail: Partial<RunDetail> = {}, events = PASSED) => worldOf(run(detail), events);

test("submit prints events as lines, then the result", async () => {
  const { code, out, err } = await call(["submit", "kernel.py"], world());
  expect(out).toBe(`vectoradd, mode test, submission 12
cpu: queued
cpu: running on runner-1 (Fast CPU, 2 threads)
cpu: prepare
cpu: prepare passed in 800.0 ms
cpu: test, 2 cases
cpu: test passed in 500.0 ms
cpu: passed

vectoradd, mode test, submission 12

cpu  passed
  on Fast CPU, 2 threads

  ✓ prepare, 500.0 ms
  ✓ test, 2 of 2 cases passed, 500.0 ms

SERVER/submissions/12
To enter the leaderboard, submit with --mode ranked.
`);
  expect({ code, err }).toEqual({ code: 0, err: "" });
});

const OFFLINE = { status: "offline", online: 0, queued: 1, lastSeenAt: null } as const;
const STRANDED = { state: "queued", verdict: null, queuePosition: 1, machine: null } as const;

test("submit says that no runner is connected, gives up after the time limit, and leaves the submission queued", async () => {
  const args = ["submit", "kernel.py", "--runner-timeout", "0.001"];
  const { code, out, err } = await call(args, world({ ...STRANDED, stages: [], runners: OFFLINE }, [QUEUED]));
  expect(out.replace(/gives up at \d\d:\d\d/, "gives up at 14:20")).toBe(`vectoradd, mode test, submission 12
no runner for cpu is connected; 1 submission queued; last seen never
gives up at 14:20 unless a runner connects
cpu: queued

vectoradd, mode test, submission 12

cpu  queued
  no runner for cpu is connected; 1 submission queued; last seen never

SERVER/submissions/12
`);
  expect(err).toBe(
    "No runner could take the submission within 0.001 min; submission 12 stays queued. " +
      "To resume watching: kernelbot watch 12. To cancel it: kernelbot cancel 12\n",
  );
  expect(code).toBe(3);
});

test("watch --json gives up with the status of the target as fields", async () => {
  const { code, out } = await call(
    ["watch", "12", "--json", "--runner-timeout", "0.001"],
    world({ ...STRANDED, runners: { ...OFFLINE, status: "paused" } }, [QUEUED]),
  );
  expect(JSON.parse(out)).toMatchObject({ submission: { runs: [{ runners: { status: "paused", queued: 1 } }] } });
  expect(code).toBe(3);
});

test("the time limit does not apply while a runner is started on demand", async () => {
  const events = [QUEUED, STARTED, finished("passed")];
  const queued = world({ runners: { ...OFFLINE, status: "on_demand" } }, events);
  queued.submission.runs = queued.submission.runs.map((run) => ({ ...run, state: "queued", verdict: null }));
  const { code, out } = await call(["watch", "12", "--runner-timeout", "0.00001"], queued);
  expect(out).toContain("a runner for cpu is started on demand; 1 submission queued\ncpu: queued\n");
  expect(out).not.toContain("gives up");
  expect(code).toBe(0);
});

test("a time limit that is not a number is rejected before anything is submitted", async () => {
  const { code, err, server } = await call(["submit", "kernel.py", "--runner-timeout", "soon"], world());
  expect(err).toContain('--runner-timeout: "soon" is not a number of minutes above 0, or none');
  expect({ code, submitted: server.submitted }).toEqual({ code: 2, submitted: [] });
});

test("submit --json prints one document and nothing else, without samples", async () => {
  const stages = [stage("ranked", { cases: [timedCase(0, 1e4, 2e4)] })];
  const { code, out, err } = await call(
    ["submit", "kernel.py", "--json", "--mode", "ranked"],
    world({ mode: "ranked", stages }),
  );
  const document = JSON.parse(out) as { page: string; submission: object; runs: RunDetail[] };
  expect(document).toMatchObject({ page: "SERVER/submissions/12", submission: { id: 12 } });
  expect(document.runs[0]).toMatchObject({ verdict: "passed", target: "cpu" });
  expect(document.runs[0]?.stages[0]?.cases[0]).toHaveProperty("score.timeNs.value", 1e4);
  expect(document.runs[0]?.stages[0]?.cases[0]).not.toHaveProperty("rounds");
  expect({ code, err }).toEqual({ code: 0, err: "" });
});

test("submit sends the file, its name and its destination under an idempotency key", async () => {
  const { server } = await call(["submit", "kernel.py", "-t", "cpu", "-m", "ranked", "-b", "vectoradd"], world());
  expect(server.submitted).toEqual([
    {
      board: "vectoradd",
      targets: ["cpu"],
      mode: "ranked",
      fileName: "kernel.py",
      source: SOURCE,
    },
  ]);
  const [post] = server.requests.filter(({ method }) => method === "POST");
  expect(post?.headers["idempotency-key"]).toMatch(/^[0-9a-f-]{36}$/);
});

test("directives in the file name its destination, and options override them", async () => {
  const source = "#!POPCORN leaderboard matmul\n#!POPCORN gpu H100\nx = 1\n";
  const { server } = await call(["submit", "kernel.py", "--target", "A100"], world(), { source });
  expect(server.submitted[0]).toMatchObject({ board: "matmul", targets: ["A100"] });
});

test("the only target of a leaderboard is the default", async () => {
  const { server } = await call(["submit", "kernel.py", "--board", "vectoradd"], world());
  expect(server.submitted[0]).toMatchObject({ board: "vectoradd", targets: ["cpu"] });
});

test("a file can be read from standard input", async () => {
  const { server, code } = await call(["submit", "-", "-b", "vectoradd"], world(), { input: "x = 1\n" });
  expect(server.submitted[0]).toMatchObject({ fileName: "stdin.py", source: "x = 1\n" });
  expect(code).toBe(0);
});

const BUSY = { code: "unavailable", retryAfterS: 0 } as const;

test("a submission is retried while the server is not available, with one notice", async () => {
  const restarting = { ...world(), refusals: { "POST /submissions": [BUSY, BUSY] } };
  const { code, server, err } = await call(["submit", "kernel.py", "-b", "vectoradd", "-t", "cpu"], restarting);
  const keys = server.requests
    .filter(({ method }) => method === "POST")
    .map(({ headers }) => headers["idempotency-key"]);
  expect(keys).toHaveLength(3);
  expect(new Set(keys).size).toBe(1);
  expect(err).toBe(`${server.url}: Not now. Retrying for up to 60 s.\n`);
  expect(code).toBe(0);
});

test("a server that is not available for a moment ends neither watching nor reading the result", async () => {
  const reads = ["GET /submissions/12", "GET /submissions/12/events", "GET /runs/7"];
  const refusals = Object.fromEntries(
    reads.map((route) => [route, [BUSY, { ...BUSY, code: "too_many_requests" as const }]]),
  );
  const { code, out } = await call(["submit", "kernel.py", "-b", "vectoradd", "-t", "cpu"], { ...world(), refusals });
  expect(out).toContain("cpu: passed");
  expect(Object.values(refusals)).toEqual([[], [], []]);
  expect(code).toBe(0);
});

test.each([
  ["submit", ["submit", "kernel.py"]],
  ["watch", ["watch", "12"]],
])("%s ends with the command that resumes when the server stays unavailable", async (_, args) => {
  const refusals = { "GET /submissions/12/events": [{ code: "unavailable", retryAfterS: 120 } as const] };
  const { code, err } = await call(args, { ...world(), refusals });
  expect(err).toBe(
    "kernelbot: Not now. Submission 12 continues. To resume watching: kernelbot watch 12. To cancel it: kernelbot cancel 12\n",
  );
  expect(code).toBe(3);
});

test("submit with a token that may not read ends well and says how to follow", async () => {
  const refusals = { "GET /submissions/12": [{ code: "forbidden" } as const] };
  const { code, out, err } = await call(["submit", "kernel.py"], { ...world(), refusals });
  expect(out).toBe(
    "Submission 12 is queued. This token lacks the scope read, so the result is on the page, or with kernelbot watch under " +
      "a token that has it\nSERVER/submissions/12\n",
  );
  expect({ code, err }).toEqual({ code: 0, err: "" });
});

test("submit --no-wait prints how to watch and exits", async () => {
  const { code, out, server } = await call(["submit", "kernel.py", "--no-wait"], world());
  expect(out).toBe("Submission 12 is queued. To watch it: kernelbot watch 12\nSERVER/submissions/12\n");
  expect(server.requests.some(({ path }) => path.endsWith("/events"))).toBe(false);
  expect(code).toBe(0);
});

test.each([
  ["Ctrl-C", "SIGINT"],
  ["closing the terminal", "SIGHUP"],
  ["kill", "SIGTERM"],
] as const)("%s stops watching, prints how to resume and exits with 130", async (_, signal) => {
  const endless = world({}, [QUEUED, STARTED]);
  const { code, err } = await call(["submit", "kernel.py"], endless, { interruptAt: "running on", signal });
  expect(err).toBe(
    "Stopped watching; submission 12 continues. To resume watching: kernelbot watch 12. To cancel it: kernelbot cancel 12\n",
  );
  expect(code).toBe(130);
});

test.each<[what: string, detail: Partial<RunDetail>, code: number]>([
  ["passed", { verdict: "passed" }, 0],
  ["failed", { verdict: "failed", failureClass: "wrong_result" }, 1],
  ["quarantined", { verdict: "quarantined" }, 1],
  ["was cancelled", { state: "cancelled", verdict: null }, 1],
  ["met an infrastructure error", { verdict: "infra_error" }, 3],
])("watch of a run that %s returns its exit code", async (_, detail, code) => {
  expect((await call(["watch", "12"], world(detail, []))).code).toBe(code);
});

test("a failed kernel is shown with its reason, case, differences, traceback and output", async () => {
  const mismatch = {
    differing: 12,
    total: 4097,
    largestAbsolute: 0.5,
    largestRelative: 0.1234567,
    first: [{ index: [0, 3], got: "1.5", expected: "1.0" }],
  };
  const failed = { index: 1, status: "failed", message: "12 of 4097 elements differ", mismatch } as const;
  const [passedCase, other] = run().stages[1]?.cases ?? [];
  const detail = run({
    verdict: "failed",
    failureClass: "wrong_result",
    message: "test case 2 is wrong",
    detail: 'File "kernel.py", line 3\nValueError: no',
    stages: [
      stage("prepare"),
      stage("test", {
        passed: false,
        cases: [passedCase, other && { ...other, ...failed }].filter((each) => each !== undefined),
        output: { head: "hello\n", tail: "bye\n", droppedBytes: 2048 },
      }),
    ],
  });
  const { out, code } = await call(["watch", "12"], worldOf(detail, []));
  expect(out).toBe(`vectoradd, mode test, submission 12

cpu  failed: wrong result
  test case 2 is wrong
  on Fast CPU, 2 threads

  ✓ prepare, 500.0 ms

  ✗ test, 1 of 2 cases passed, 500.0 ms
    ✓ 1  size: 127; seed: 4242
    ✗ 2  size: 128; seed: 4242
         12 of 4,097 elements differ; largest error 0.5, relative 0.123
         at [0, 3]: got 1.5, expected 1.0

  Traceback
  │ File "kernel.py", line 3
  │ ValueError: no

  Output of stage test
  │ hello
  │ … 2,048 bytes omitted …
  │ bye

SERVER/submissions/12
`);
  expect(code).toBe(1);
});

test("a ranked run that passed is shown with its rank", async () => {
  const score = { timeNs: interval(1e4), speedup: interval(2) };
  const detail = run({ mode: "ranked", score, stages: [stage("ranked", { cases: [timedCase(0, 1e4, 2e4)] })] });
  const rows = [boardRow(1, "bob"), boardRow(2, "ada", { account: { id: "a1", name: "ada" }, submissionId: 12 })];
  const board = boardOf(rows);
  const { out } = await call(["watch", "12"], { ...worldOf(detail, []), board });
  expect(out).toBe(`vectoradd, mode ranked, submission 12

cpu  passed, 10.00 µs ± 1.0 %, 2.000× as fast as the reference
  rank 2 of 2 on the leaderboard
  on Fast CPU, 2 threads, calls timed one by one, with cold caches

  ✓ ranked, 1 of 1 case passed, 500.0 ms
         case                            runtime         reference  speedup
    ✓ 1  size: 127; seed: 4242  10.00 µs ± 1.0 %  20.00 µs ± 1.0 %   2.000×

SERVER/submissions/12
`);
});

test("show draws the distribution of each timed case and exits with 0", async () => {
  const detail = run({ verdict: "quarantined", stages: [stage("ranked", { cases: [timedCase(0, 1e4, 2e4)] })] });
  const { out, code } = await call(["show", "12"], worldOf(detail, []));
  expect(out).toContain("vectoradd, mode test, submission 12\nkernel.py by ada, 2026-03-01 12:00\n");
  expect(out).toContain("    case 1, 12 samples in 6 rounds (precise)\n");
  expect(out).toMatch(/└─{58}┘\n +10\.00 µs +10\.26 µs +10\.51 µs\n/);
  expect(code).toBe(0);
});

test("show --json has the samples", async () => {
  const detail = run({ stages: [stage("ranked", { cases: [timedCase(0, 1e4, 2e4)] })] });
  const { out } = await call(["show", "12", "--json"], worldOf(detail, []));
  const { runs } = JSON.parse(out) as { runs: RunDetail[] };
  expect(runs[0]?.stages[0]?.cases[0]?.rounds).toHaveLength(6);
});

test("source writes the unchanged code to a pipe", async () => {
  const source = "x = '\x1b[31m'\r\n";
  expect((await call(["source", "12"], { ...world(), source })).out).toBe(source);
});

test("text of kernels and accounts can neither control the terminal nor forge a line", async () => {
  const detail = run({
    verdict: "failed",
    failureClass: "crash",
    message: "boom\x1b[2J\npassed",
    detail: "a\x1b]0;title\x07b\x9b31mc\rd\u202ee",
  });
  const hostile = { ...worldOf(detail, []), submission: submission([detail], { fileName: "k\x1b[1A\nx.py" }) };
  const { out } = await call(["show", "12"], hostile);
  expect(out).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]/);
  expect(out).toContain("\n  boom passed\n");
  expect(out).toContain("  │ ab31mc\n  │ de\n");
  expect(out).toContain("\nk x.py by ada, 2026");
});

test("show lists the findings of the static review as advisory", async () => {
  const finding = { rule: "clock.read", severity: "warning", line: 3, column: 1, excerpt: "time.time()" } as const;
  const { out, code } = await call(
    ["show", "12"],
    world({ review: [{ ...finding, sentence: "It reads\n\x1b[2J a clock." }] }),
  );
  expect(out).toContain("\n  Static review (advisory)\n    line 3: warning: It reads a clock.\n");
  expect(code).toBe(0);
});

test("list shows a row for each submission", async () => {
  const { out, server } = await call(["list", "--limit", "5"], world({}, []));
  expect(out).toBe(`id  file       board      target  mode  status  when
12  kernel.py  vectoradd  cpu     test  passed  2026-03-01
`);
  expect(server.requests[0]?.path).toBe("/submissions?limit=5");
});

test("list marks runs judged without a sandbox", async () => {
  const { out } = await call(["list"], world({ unsandboxed: true }, []));
  expect(out).toContain("passed, no sandbox");
});

test("board shows ranks, runtimes and speedups", async () => {
  const enteredBy = { runId: 5, timeNs: interval(9_900) };
  const rows = [
    boardRow(1, "bob", { verification: "confirmed", enteredBy }),
    boardRow(2, "ada", { unsandboxed: true }),
  ];
  const board = boardOf(rows);
  const { out } = await call(["board", "vectoradd", "--target", "cpu"], { ...world(), board });
  expect(out).toBe(`vectoradd on cpu, 2 entries, revision 1, version abc
rank  account           runtime  speedup  id  submitted
   1  bob      10.00 µs ± 1.0 %   2.000×   1  2026-03-01 12:00  confirmed
   2  ada      20.00 µs ± 1.0 %   1.000×   2  2026-03-01 12:00  no sandbox
`);
});

test("results of a legacy harness are marked and have no speedup", async () => {
  const rows = [boardRow(1, "bob", { legacyHarness: true, unsandboxed: true, speedup: null })];
  const board = boardOf(rows);
  const onBoard = await call(["board", "vectoradd", "--target", "cpu"], { ...world(), board });
  expect(onBoard.out).toMatch(/ {8}– +1  2026-03-01 12:00  no sandbox, legacy harness\n$/);
  const score = { timeNs: interval(1e4), referenceNs: null, speedup: null };
  const cases = [checkedCase(0, { score })];
  const detail = run({ mode: "ranked", legacyHarness: true, score, stages: [stage("ranked", { cases })] });
  const { out } = await call(["show", "12"], worldOf(detail, []));
  expect(out).toContain("cpu  passed, 10.00 µs ± 1.0 %, legacy harness\n");
  expect(out).toMatch(/✓ 1  size: 127; seed: 4242  10\.00 µs ± 1\.0 % +– +–\n/);
});

test("a noisy result is marked, and says what that means", async () => {
  const score = { timeNs: interval(1e4), referenceNs: null, speedup: null, noisy: true as const };
  const { out } = await call(["show", "12"], worldOf(run({ mode: "ranked", score }), []));
  expect(out).toContain("cpu  passed, 10.00 µs ± 1.0 %, noisy\n");
  expect(out).toContain("  The machine was busy each time that this run was timed, so its result is uncertain.");
});

test("problems lists the targets of each", async () => {
  const { out } = await call(["problems"], world());
  expect(out).toBe("problem    targets\nvectoradd  cpu, H100\n");
});

test("cancel prints the status of each run", async () => {
  const { out, code } = await call(["cancel", "12"], world({ state: "cancelled", verdict: null }, []));
  expect({ out, code }).toEqual({ out: "Submission 12: cpu cancelled\n", code: 0 });
});

test.each<[what: string, args: string[], err: RegExp, source?: string | Uint8Array]>([
  ["an unknown command", ["submitt"], /unknown command "submitt"; did you mean submit\? See kernelbot --help/],
  ["a missing argument", ["submit"], /FILE is missing; see kernelbot submit --help/],
  ["two files", ["submit", "kernel.py", "b.py"], /unexpected argument "b.py"; see kernelbot submit --help/],
  [
    "an unknown option",
    ["submit", "kernel.py", "--bord", "x"],
    /unknown option '--bord'; did you mean --board\? See kernelbot submit --help/,
  ],
  ["an option without its value", ["submit", "kernel.py", "--board"], /'-b, --board <value>' argument missing/],
  [
    "an unknown mode",
    ["submit", "kernel.py", "--mode", "race"],
    /--mode must be one of test, benchmark, ranked, profile, application, not "race"/,
  ],
  ["a missing file", ["submit", "none.py"], /"none.py" does not exist/],
  ["a directory", ["submit", "."], /"\." is a directory; a submission is one file/],
  ["an empty file", ["submit", "kernel.py"], /"kernel.py": the file is empty/, " \n"],
  [
    "a huge file",
    ["submit", "kernel.py"],
    /"kernel.py": the file is larger than 1,000,000 bytes/,
    "x".repeat(1_000_001),
  ],
  [
    "bytes that are not UTF-8",
    ["submit", "kernel.py"],
    /UTF-16 text: its first bytes are FF FE/,
    new Uint8Array([0xff, 0xfe, 0x78, 0]),
  ],
  ["a binary file", ["submit", "kernel.py"], /is binary/, new Uint8Array([1, 0, 2])],
  [
    "an unknown board",
    ["submit", "kernel.py", "-b", "sort"],
    /leaderboard "sort" not found; existing leaderboards: vectoradd/,
  ],
  ["an invalid number", ["watch", "abc"], /"abc" is not the number of a submission; kernelbot list shows them/],
  ["an unknown submission", ["watch", "99"], /There is no \/submissions\/99/],
  ["an invalid address", ["list", "--server", "localhost"], /"localhost" is not a valid server address/],
  ["eval without a problem", ["eval", "kernel.py"], /--problem DIR is required/],
  ["eval of a missing problem", ["eval", "kernel.py", "--problem", "none"], /problem directory .* not found/],
])("%s: one sentence on standard error and exit code 2", async (_, args, err, source) => {
  const ended = await call(args, world(), source === undefined ? {} : { source });
  expect(ended.err).toMatch(err);
  expect(ended.err).toMatch(/^kernelbot: .*\n$/);
  expect({ code: ended.code, out: ended.out }).toEqual({ code: 2, out: "" });
});

test("without a terminal, a missing leaderboard or target is an error that lists the choices", async () => {
  const boards = ["cpu", "H100"].flatMap((target) =>
    ["sort", "matmul"].map((board) => ({
      board,
      set: "pmpp",
      target,
      entries: 0,
      leader: null,
      team: null,
      bestNs: null,
      unsandboxed: false,
      freeze: null,
    })),
  );
  const without = await call(["submit", "kernel.py"], { ...world(), boards }, { source: "x = 1\n" });
  expect(without.err).toBe("kernelbot: --board NAME is required; leaderboards: sort, matmul\n");
  const half = await call(["submit", "kernel.py", "-b", "sort"], { ...world(), boards });
  expect(half.err).toBe("kernelbot: --target NAME is required; targets of sort: cpu, H100\n");
  expect([without.code, half.code]).toEqual([2, 2]);
});

test("with --json, an error is a JSON document", async () => {
  const { out, code } = await call(["watch", "99", "--json"], world());
  expect(JSON.parse(out)).toEqual({ error: { code: "not_found", message: "There is no /submissions/99." } });
  expect(code).toBe(2);
});

test("a missing token exits with 2 and names the remedy", async () => {
  const { code, err, server } = await call(["list"], world(), { env: { KERNELBOT_TOKEN: "" } });
  expect(err).toBe(`kernelbot: ${server.url} requires a token. Sign in with kernelbot login, or set KERNELBOT_TOKEN\n`);
  expect(code).toBe(2);
});

test("an unreachable server exits with 3 and one sentence without a stack trace", async () => {
  using place = workshop();
  const closed = createServer().listen(0, "127.0.0.1");
  await once(closed, "listening");
  const { port } = closed.address() as { port: number };
  closed.close();
  const { code, err } = await place.kernelbot(["problems"], { server: `http://127.0.0.1:${port}` });
  expect(err).toMatch(new RegExp(`^kernelbot: Cannot reach the server at http://127\\.0\\.0\\.1:${port} .*\n$`));
  expect(code).toBe(3);
});

test("KERNELBOT_DEBUG=1 shows the stack trace", async () => {
  expect((await call(["watch", "abc"], world(), { env: { KERNELBOT_DEBUG: "1" } })).err).toMatch(/\n {4}at /);
});

test("login --token checks the token, stores it readable by this user only, and sends it to no other server", async () => {
  using place = workshop();
  await using server = await startFakeServer(world());
  await using other = await startFakeServer(world());

  const wrong = await place.kernelbot(["login", "--token", "--server", server.url], { input: "kb_wrong\n" });
  expect(wrong.err).toBe(
    `kernelbot: ${server.url} rejected the token: it is unknown, expired or revoked; nothing was stored\n`,
  );
  expect(wrong.code).toBe(2);

  const right = await place.kernelbot(["login", "--token", "--server", `${server.url}/`], { input: `${TOKEN}\n` });
  const path = join(place.folder, ".config/kernelbot/config.toml");
  expect({ out: right.out, code: right.code }).toEqual({ out: `Signed in as ada. Stored in ${path}\n`, code: 0 });
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readFileSync(path, "utf8")).toContain(TOKEN);

  expect((await place.kernelbot(["list"])).code).toBe(0);
  expect((await place.kernelbot(["list", "--server", other.url])).code).toBe(2);
  expect(other.requests.map(({ headers }) => headers.authorization)).toEqual([undefined]);
});

test.each<[what: string, args: string[], err: RegExp]>([
  ["an unknown command of a group", ["tokens", "make"], /unknown command "tokens make"; see kernelbot tokens --help$/],
  ["an unknown scope", ["tokens", "create", "ci", "--scopes", "all"], /"all" is not a scope; use submit, read/],
  ["an unknown role", ["admin", "roles", "ada", "+owner"], /"owner" is not a role; use organiser, moderator/],
  ["an invalid weight", ["admin", "weight", "ada", "0"], /WEIGHT must be a number from 0.01 to 100, not "0"$/],
  ["no role", ["admin", "roles", "ada"], /no change given: \+ROLE adds a role, -ROLE removes it$/],
  ["signing out without a login", ["logout"], /you are not signed in to /],
])("%s is a usage error", async (_, args, err) => {
  const ended = await call(args, world());
  expect(ended.code).toBe(2);
  expect(ended.err.trim().replace(/\s+/g, " ")).toMatch(err);
});

test("the help of a group lists its commands, and that of a command its options", async () => {
  using place = workshop();
  expect((await place.kernelbot(["admin", "--help"])).out).toMatch(/^ {2}roles +Add and remove roles of an account$/m);
  expect((await place.kernelbot(["tokens", "create", "--help"])).out).toMatch(/^Usage: kernelbot tokens create LABEL/m);
});

test.each([["--help"], ["help"], ["-h"]])("%s fits a screen", async (...args) => {
  using place = workshop();
  const { out, code } = await place.kernelbot(args);
  expect(out).toMatch(/^ {2}submit +Submit a kernel/m);
  expect(out).toMatch(/^ {2}organise +Organise competitions/m);
  const lines = out.trimEnd().split("\n");
  expect(lines.length).toBeLessThanOrEqual(40);
  expect(lines.filter((line) => line.length > 100)).toEqual([]);
  expect(code).toBe(0);
});

test("the help of each topic lists its commands, and all topics together list all commands once", async () => {
  using place = workshop();
  const listed: string[] = [];
  for (const { name, about } of TOPICS) {
    const { out, code } = await place.kernelbot(["help", name]);
    expect(out.split("\n")[0]).toBe(`${about}.`);
    expect(code).toBe(0);
    listed.push(...Array.from(out.matchAll(/^ {2}([\w-]+)/gm), ([, command = ""]) => command));
  }
  expect(listed).toEqual(Object.keys(COMMANDS));
  expect(new Set(listed).size).toBe(listed.length);
  expect((await place.kernelbot(["help", "environment"])).out).toMatch(/^ {2}3 +platform failure/m);
});

test("no topic has the name of a command, and is not run as one", async () => {
  expect(TOPICS.filter(({ name }) => Object.hasOwn(COMMANDS, name))).toEqual([]);
  const { err, code } = await call(["organise"], world());
  expect(err).toBe('kernelbot: "organise" is not a command, but a topic of the help; see kernelbot help organise\n');
  expect(code).toBe(2);
});

test("a command's --help shows its options with their defaults", async () => {
  using place = workshop();
  const { out } = await place.kernelbot(["submit", "--help"]);
  expect(out).toMatch(/^Usage: kernelbot submit FILE \[options\]$/m);
  expect(out).toMatch(/-m, --mode test\|benchmark\|ranked\|profile\|application +What to run \(default test\)$/m);
});

const TABLE = "profile case 1 (size: 8), 10 calls\n\x1b[2Jself %  calls  operator\n 99.0%     10  aten::add\n";
const TRACE = "\0a trace";

/** Returns a passed profile with a table and a trace. */
function profiled(deletedAt: string | null = null): World {
  const files = { "profile.0.txt": TABLE, "profile.0.trace.json.gz": TRACE };
  const artifacts = Object.entries(files).map(([name, text]) => ({
    name,
    mediaType: name.endsWith("txt") ? ("text/plain" as const) : ("application/gzip" as const),
    sizeBytes: Buffer.byteLength(text),
    sha256: createHash("sha256").update(text).digest("hex"),
    deletedAt,
  }));
  const stages = [stage("prepare"), stage("profile", { cases: [checkedCase(0)] })];
  return { ...world({ mode: "profile", stages, artifacts }), artifacts: files };
}

test("a profile prints its tables without control characters, and how to save its files", async () => {
  const { code, out } = await call(["submit", "kernel.py", "--mode", "profile"], profiled());
  expect(out).toContain(`
  ✓ prepare, 500.0 ms
  ✓ profile, 1 of 1 case passed, 500.0 ms

  profile.0.txt
  │ profile case 1 (size: 8), 10 calls
  │ self %  calls  operator
  │  99.0%     10  aten::add

  file                     size
  profile.0.txt            88 B
  profile.0.trace.json.gz   8 B
  To save them: kernelbot show 12 --out DIR
`);
  expect(code).toBe(0);
});

test("a profile whose files have expired is shown as such, without requests for them", async () => {
  const deleted = profiled("2026-04-01T12:00:00.000Z");
  const { code, out, server } = await call(["show", "12", "--out", "out"], { ...deleted, artifacts: {} });
  expect(out).toContain(`
  file                                   size
  profile.0.txt            deleted 2026-04-01
  profile.0.trace.json.gz  deleted 2026-04-01
  The files have expired. Submit with mode profile to create them again.
`);
  expect(server.requests.filter(({ path }) => path.includes("artifacts"))).toEqual([]);
  expect(code).toBe(0);
});

test("--out saves the unchanged files of a profile", async () => {
  using place = workshop();
  await using server = await startFakeServer(profiled());
  const { out, code } = await place.kernelbot(["show", "12", "--out", "a/b"], { server: server.url });
  expect(out).toContain("\n  saved in a/b\n");
  expect(readdirSync(join(place.folder, "a/b"))).toEqual(["profile.0.trace.json.gz", "profile.0.txt"]);
  expect(readFileSync(join(place.folder, "a/b/profile.0.txt"), "utf8")).toBe(TABLE);
  expect(code).toBe(0);
});

test("a corrupted file is not saved", async () => {
  using place = workshop();
  await using server = await startFakeServer({ ...profiled(), artifacts: { "profile.0.txt": "half" } });
  const { err, code } = await place.kernelbot(["show", "12", "--out", "out"], { server: server.url });
  expect(err).toContain("profile.0.txt was corrupted in the download; try again");
  expect(readdirSync(join(place.folder, "out"))).toEqual([]);
  expect(code).toBe(3);
});

test("--out is rejected for modes that produce no files", async () => {
  const { code, err, server } = await call(["submit", "kernel.py", "--out", "x"], world());
  expect(err).toContain("--out requires --mode profile: other modes produce no files");
  expect([code, server.submitted]).toEqual([2, []]);
});
