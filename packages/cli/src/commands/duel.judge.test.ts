/** Duels on this machine with the real judge, and on a board of a fake server. */
import { join, resolve } from "node:path";
import type { DuelResult, RunDetail } from "@kernelbot/core";
import { expect, test } from "vitest";
import { startFakeServer } from "@kernelbot/testing/cli/fake-server.ts";
import { workshop } from "@kernelbot/testing/cli/kernelbot.ts";
import { interval, finished, run, stage, submission, worldOf } from "@kernelbot/testing/cli/samples.ts";

const PROBLEM = resolve(import.meta.dirname, "../../../../problems/pmpp/vectoradd");
const solution = (name: string) => join(PROBLEM, "solutions", name);

test("a local duel of C++ and Python reports the side that failed and the runtimes of the other", async () => {
  using place = workshop();
  const args = ["duel", solution("fast_avx.cpp"), solution("wrong_tail.py"), "--problem", PROBLEM, "--json"];
  const { code, out, err } = await place.kernelbot(args);
  expect({ code, err }).toEqual({ code: 1, err: "" });
  const [judged] = (JSON.parse(out) as { runs: RunDetail[] }).runs;
  expect(judged).toMatchObject({
    mode: "duel",
    verdict: "passed",
    score: null,
    duel: { winner: "a", faster: null, failures: { a: null, b: { failureClass: "wrong_result" } } },
  });
  expect(judged?.duel?.failures.b?.message).toMatch(/^B: test case 1 /);
  expect(judged?.duel?.cases.map(({ a, b }) => [a === null, b])).toEqual(Array(3).fill([false, null]));
});

const RATIO = { value: 1.25, low: 1.18, high: 1.31 };
const time = (ns: number) => ({ timeNs: interval(ns), referenceNs: interval(20_000), speedup: interval(20_000 / ns) });
const WON: DuelResult = {
  faster: "a",
  winner: "a",
  ratio: RATIO,
  failures: { a: null, b: null },
  cases: [{ case: { size: 127 }, faster: "a", ratio: RATIO, a: time(8_000), b: time(10_000) }],
};
const LOST: DuelResult = {
  faster: null,
  winner: "a",
  ratio: null,
  failures: { a: null, b: { failureClass: "crash", message: "B: boom\x1b[2J", detail: "Traceback\nValueError" } },
  cases: [],
};

/** Runs a duel on a fake server, with two files in the workshop. */
async function duel(args: readonly string[], result: DuelResult) {
  const detail = run({ mode: "duel", duel: result, stages: [stage("prepare"), stage("test"), stage("duel")] });
  const rival = { fileName: "slow.py", sourceHash: "0" };
  const world = { ...worldOf(detail, [finished("passed")]), submission: submission([detail], { rival }) };
  using place = workshop();
  place.file("fast.py", "fast\n");
  place.file("slow.py", "slow\n");
  await using server = await startFakeServer(world);
  const ended = await place.kernelbot(["duel", ...args], { server: server.url });
  return { ...ended, submitted: server.submitted };
}

test("a duel on a leaderboard submits both files and reports the ratio with its confidence interval", async () => {
  const { code, err, out, submitted } = await duel(["fast.py", "slow.py", "-b", "vectoradd", "-t", "cpu"], WON);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(submitted).toEqual([
    {
      board: "vectoradd",
      targets: ["cpu"],
      mode: "duel",
      fileName: "fast.py",
      source: "fast\n",
      rival: { fileName: "slow.py", source: "slow\n" },
    },
  ]);
  expect(out).toContain("1.250× (1.180× to 1.310×)");
  expect(out).toContain("A (kernel.py) is 1.250× as fast as B (slow.py) (95 % interval: 1.180× to 1.310×).");
});

test("the number of a submission selects its file and its leaderboard", async () => {
  const { submitted } = await duel(["12", "slow.py"], WON);
  expect(submitted).toMatchObject([{ board: "vectoradd", targets: ["cpu"], fileName: "kernel.py", mode: "duel" }]);
});

test("a rival that failed loses; its message and traceback are printed, and the exit code is 1", async () => {
  const { code, out } = await duel(["fast.py", "slow.py", "-b", "vectoradd", "-t", "cpu"], LOST);
  expect(out).toContain("A (kernel.py) wins, since B (slow.py) failed (crash).\nB: boom\n");
  expect(out).toContain("  Traceback of B\n  │ Traceback\n  │ ValueError\n");
  expect(out).not.toContain("\x1b");
  expect(code).toBe(1);
});

test("--problem and --board exclude each other", async () => {
  const { code, err } = await duel(["fast.py", "slow.py", "-b", "vectoradd", "-p", PROBLEM], WON);
  expect([code, err]).toEqual([2, "kernelbot: use --problem or --board, not both\n"]);
});
