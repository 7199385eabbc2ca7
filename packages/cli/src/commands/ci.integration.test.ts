/** `kernelbot ci duel` in a git repository, with a server and GitHub that answer as the real ones do. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import type { DuelResult } from "@kernelbot/core";
import { expireEvaluations } from "@kernelbot/server/src/evaluations/end.ts";
import { startFakeServer } from "@kernelbot/testing/cli/fake-server.ts";
import { workshop } from "@kernelbot/testing/cli/kernelbot.ts";
import { interval, run, worldOf } from "@kernelbot/testing/cli/samples.ts";
import { REPOSITORY, startFakeGitHub } from "@kernelbot/testing/fake-github.ts";
import { claimWait, MACHINE, passing, problemFiles, reported, runner } from "@kernelbot/testing/fixtures.ts";
import { writeProblems } from "@kernelbot/testing/example-problems.ts";
import { openTestServer } from "@kernelbot/testing/server-with-problems.ts";

const KERNEL = "#!KERNELBOT board vectoradd\n#!KERNELBOT target cpu\n";
const BASE = `${KERNEL}x = 1\n`;
const CHANGE = `${KERNEL}x = 2\n`;

/** Returns a duel in which the change is `ratio` times as fast as the base. */
function duelOf(ratio: number, change: Partial<DuelResult> = {}): DuelResult {
  const faster = ratio > 1.05 ? "a" : ratio < 0.95 ? "b" : null;
  const score = (timeNs: number) => ({ timeNs: interval(timeNs), referenceNs: null, speedup: null });
  const whole = { faster, ratio: interval(ratio) } as const;
  return {
    ...whole,
    winner: faster,
    failures: { a: null, b: null },
    cases: [{ case: { size: 8 }, a: score(1000 / ratio), b: score(1000), ...whole }],
    ...change,
  };
}

const FAILED = duelOf(1, {
  winner: "b",
  failures: { a: { failureClass: "wrong_result", message: "case 1 | is @wrong", detail: null }, b: null },
});

type Place = ReturnType<typeof workshop>;

/** Commits files on top of the earlier ones. */
function commit(place: Place, files: Record<string, string>): void {
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=ada", "-c", "user.email=ada@example.org", ...args], { cwd: place.folder });
  git("init", "--quiet");
  for (const [name, text] of Object.entries(files)) {
    place.file(name, text);
    git("add", name);
  }
  git("commit", "--quiet", "--message", "kernels");
}

function event(place: Place, number: number, from = REPOSITORY): string {
  const pull_request = { number, head: { repo: { full_name: from } } };
  return place.file("event.json", JSON.stringify({ repository: { full_name: REPOSITORY }, pull_request }));
}

async function judge(duel: DuelResult, args: readonly string[], env: Record<string, string> = {}, other = "y = 2\n") {
  using place = workshop();
  commit(place, { "a.py": BASE, "other.py": "y = 1\n" });
  commit(place, { "a.py": CHANGE, "other.py": other, "new.py": CHANGE });
  await using server = await startFakeServer(worldOf(run({ mode: "duel", duel, message: null }), []));
  const ended = await place.kernelbot(["ci", "duel", ...args, "--summary", "summary.md"], {
    server: server.url,
    env: { ...env, ...(env.PULL !== undefined && { GITHUB_EVENT_PATH: event(place, Number(env.PULL), env.FROM) }) },
  });
  return {
    ...ended,
    submitted: server.submitted,
    place,
    summary: readFileSync(join(place.folder, "summary.md"), "utf8"),
  };
}

test("a changed file that cannot be submitted is reported, and the others are judged", async () => {
  using place = workshop();
  commit(place, { "a.py": BASE, "b.py": BASE, "table.py": "x = 1\n" });
  const large = `#${"x".repeat(1_100_000)}\n`;
  commit(place, { "a.py": CHANGE + large, "b.py": CHANGE, "table.py": large });
  await using server = await startFakeServer(worldOf(run({ mode: "duel", duel: duelOf(1.25), message: null }), []));
  const { code, out } = await place.kernelbot(["ci", "duel", "--json"], { server: server.url });
  const { kernels } = JSON.parse(out) as { kernels: unknown[] };
  expect(kernels).toMatchObject([
    { path: "a.py", correct: null, sentence: "the file is larger than 1,000,000 bytes, the maximum for a source" },
    { path: "b.py", correct: true },
  ]);
  expect(kernels).toHaveLength(2);
  expect(code).toBe(3);
});

test("judges the changed file that names a leaderboard against its base", async () => {
  const { code, out, summary, submitted } = await judge(duelOf(1.25), []);
  expect(code).toBe(0);
  expect(submitted).toMatchObject([
    { board: "vectoradd", targets: ["cpu"], mode: "duel", source: CHANGE, rival: { fileName: "a.py", source: BASE } },
  ]);
  expect(out).toContain(summary.trimEnd());
  expect(summary).toContain("#### `a.py`, `vectoradd` on `cpu`");
  expect(summary).toContain("correct: The change is 1.250× as fast as the base (95 % interval: ");
  expect(summary).toMatch(
    /\| `size: 8` \| 1\.000 µs ± 1\.0 % \| 800\.0 ns ± 1\.0 % \| 1\.250× \(1\.238× to 1\.262×\) \|/,
  );
});

test("a file with an invalid directive is reported as not judged, and the others are", async () => {
  const { code, summary, submitted } = await judge(duelOf(1.25), [], {}, "#!KERNELBOT bord vectoradd\n");
  expect(code).toBe(3);
  expect(summary).toContain("#### `a.py`, `vectoradd` on `cpu`\n\ncorrect: ");
  expect(summary).toContain("#### `other.py`\n\nnot judged: `line 1, ");
  expect(submitted).toHaveLength(1);
});

test.each([
  ["slower", duelOf(0.8), 1],
  ["incorrect", duelOf(0.8), 0],
  ["incorrect", FAILED, 1],
  ["never", FAILED, 0],
  ["slower", duelOf(1), 0],
] as const)("--fail-on %s decides the exit code", async (failOn, duel, code) => {
  expect(await judge(duel, ["--fail-on", failOn])).toMatchObject({ code });
});

test("a change that fails is reported with its message, in which nothing is a link or a name", async () => {
  const { summary } = await judge(FAILED, []);
  expect(summary).toContain("**incorrect**: The base wins, since the change failed");
  expect(summary).toContain("`case 1 ¦ is @wrong`");
});

test("one comment is written and then edited, and comments of people are left alone", async () => {
  await using fake = await startFakeGitHub();
  const pull = fake.open({});
  pull.comment("<!-- kernelbot:duel --> of a person");
  const env = { ...fake.job(), PULL: String(pull.number) };
  await judge(duelOf(1.25), ["--comment"], env);
  expect((await judge(duelOf(1.5), ["--comment"], env)).err).toBe("");
  expect(pull.comments.map(({ body }) => body)).toEqual([
    "<!-- kernelbot:duel --> of a person",
    expect.stringContaining("The change is 1.500× as fast"),
  ]);
});

test("a report that is too long for a comment is cut, and the summary is not", async () => {
  await using fake = await startFakeGitHub();
  const pull = fake.open({});
  const [one] = duelOf(1.25).cases;
  const cases = Array.from({ length: 1000 }, () => one).filter((each) => each !== undefined);
  const { summary } = await judge(duelOf(1.25, { cases }), ["--comment"], {
    ...fake.job(),
    PULL: String(pull.number),
  });
  const body = pull.comments[0]?.body ?? "";
  expect(summary.length).toBeGreaterThan(65_536);
  expect(body.length).toBeLessThan(65_536);
  expect(body).toMatch(/\|\n\nThe summary of the job contains the complete report\.$/);
});

test("a comment that GitHub refuses is a warning", async () => {
  await using fake = await startFakeGitHub();
  const pull = fake.open({});
  const env = { ...fake.job(), PULL: String(pull.number) };
  fake.trouble = () => ({ status: 403, body: { message: "Resource not accessible by integration" } });
  const { code, err } = await judge(duelOf(1.25), ["--comment"], env);
  expect([code, err]).toEqual([
    0,
    expect.stringContaining("The comment was not written: GitHub responded with 403; the job needs permissions"),
  ]);
});

test("a pull request from a fork, which has no token, is not judged and does not fail", async () => {
  const env = { PULL: "1", FROM: "stranger/kernels", KERNELBOT_TOKEN: "" };
  const { code, summary, submitted } = await judge(duelOf(0.5), [], env);
  expect([code, submitted]).toEqual([0, []]);
  expect(summary).toContain("Not judged: this pull request comes from a fork");
});

test("without the base commit, the error says how to check it out", async () => {
  using place = workshop();
  commit(place, { "a.py": BASE });
  await using server = await startFakeServer(worldOf(run(), []));
  const { code, err } = await place.kernelbot(["ci", "duel"], { server: server.url });
  expect([code, err]).toEqual([2, expect.stringContaining("set fetch-depth: 2")]);
});

test("a token that lacks the scope read is refused before anything is submitted", async () => {
  await using server = await openTestServer({ listening: true });
  using place = workshop();
  commit(place, { "a.py": BASE });
  commit(place, { "a.py": CHANGE });
  const env = { KERNELBOT_TOKEN: await server.token("ann", ["submit"]) };
  const { code, err } = await place.kernelbot(["ci", "duel"], { server: server.url, env });
  expect([code, err]).toEqual([2, "kernelbot: this token may not read submissions: it lacks the scope read\n"]);
  expect(await server.database.sql`select id from submission`).toEqual([]);
});

test("--problem judges change and base with one's own problem, in an evaluation each", async () => {
  await using server = await openTestServer({ listening: true });
  const token = await server.token("olga", ["submit", "read", "admin"], [], ["organiser"]);
  const box = await runner(server.database);
  using place = workshop();
  commit(place, { "mine.py": "x = 1\n" });
  commit(place, { "mine.py": "x = 2\n" });
  writeProblems(place.folder, { shapes: problemFiles() });
  const ended = place.kernelbot(["ci", "duel", "--problem", "shapes", "--path", "*.py", "--target", "cpu", "--json"], {
    server: server.url,
    env: { KERNELBOT_TOKEN: token },
  });
  for (let runs = 0; runs < 2; runs += 1) {
    const next = await claimWait(server.database, box, {
      ...{ target: "cpu", runner: "box", machine: MACHINE, waitMs: 60_000 },
    });
    if (next === null) throw new Error("no run was queued");
    const isChange = next.source === "x = 2\n";
    await reported(server.database, box, next, passing("reward", isChange ? [400, 400] : [500, 500]));
  }
  const { code, out } = await ended;
  expect(code).toBe(0);
  const { kernels } = JSON.parse(out) as { kernels: unknown[] };
  expect(kernels).toMatchObject([
    { path: "mine.py", problem: "shapes", target: "cpu", correct: true, faster: "a", page: null },
  ]);
});

test("--problem does not judge what stays queued beyond --runner-timeout", async () => {
  await using server = await openTestServer({ listening: true });
  const token = await server.token("olga", ["submit", "read", "admin"], [], ["organiser"]);
  using place = workshop();
  commit(place, { "mine.py": "x = 1\n" });
  commit(place, { "mine.py": "x = 2\n" });
  writeProblems(place.folder, { shapes: problemFiles() });
  const args = ["ci", "duel", "--problem", "shapes", "--path", "*.py", "--target", "cpu", "--runner-timeout", "0.01"];
  const ended = place.kernelbot(args, { server: server.url, env: { KERNELBOT_TOKEN: token } });
  let code: number | null = null;
  void ended.then((result) => (code = result.code));
  await vi.waitUntil(
    async () => {
      await expireEvaluations(server.database);
      return code !== null;
    },
    { timeout: 30_000, interval: 200 },
  );
  const { out } = await ended;
  expect([code, out]).toEqual([3, expect.stringContaining("not judged: `The evaluation is expired.`")]);
});
