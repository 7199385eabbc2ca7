/**
 * Demo with four kernels for one board: a correct one, a faster one, an incorrect one and one that forges its result.
 * Starts a server with a local runner, submits them like a participant, and exits with 0 only if all four have the
 * expected verdict.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { createClient } from "@kernelbot/api";
import { formatNs, formatRatio, type RunSummary, type Verdict } from "@kernelbot/core";
import { CLI, mintToken, startServer } from "./processes.ts";

const SOLUTIONS = resolve(import.meta.dirname, "../problems/pmpp/vectoradd/solutions");
const KERNELS: { what: string; file: string; verdict: Verdict }[] = [
  { what: "a correct kernel", file: "correct.py", verdict: "passed" },
  { what: "a faster correct kernel", file: "fast_out.py", verdict: "passed" },
  { what: "an incorrect kernel, which omits the tail", file: "wrong_tail.py", verdict: "failed" },
  { what: "a kernel that forges its result", file: "forge.py", verdict: "failed" },
];

/** The database runs as its own user, which cannot access root's home. */
const DATA = process.getuid?.() === 0 ? "/var/lib/kernelbot-demo" : join(homedir(), ".local/share/kernelbot-demo");

heading("Starting a server with its own PostgreSQL and a runner for the target cpu");
const hadData = existsSync(DATA);
await using server = await startServer({ dataDir: DATA, localRunner: "cpu" }).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  if (hadData) console.error(`\n${DATA} is from an earlier demo: delete it to start with an empty database.`);
  process.exit(3);
});
const token = mintToken(DATA, { label: "demo", scopes: "submit,read" });
const client = createClient({ server: server.url, token });
console.log(`KernelBot is at ${server.url}, its data in ${DATA}`);

const runs: (RunSummary | undefined)[] = [];
for (const { what, file } of KERNELS) {
  heading(`Submitting ${what}: ${file}`);
  kernelbot("submit", join(SOLUTIONS, file), "--board", "vectoradd", "--target", "cpu", "--mode", "ranked");
  const [latest] = await client.submissions({ limit: 1 });
  runs.push(latest?.fileName === file ? latest.runs[0] : undefined);
}

heading("The board");
kernelbot("board", "vectoradd", "--target", "cpu");

heading("Results");
const outcomes = KERNELS.map(({ what, verdict }, index) => {
  const run = runs[index];
  return { what, expected: run?.verdict === verdict, result: formatResult(run) };
});
const [correct, faster] = runs;
outcomes.push({
  what: "the faster kernel leads",
  expected: (faster?.score?.timeNs.value ?? Infinity) < (correct?.score?.timeNs.value ?? 0),
  result: `${formatRatio(faster?.score?.speedup?.value ?? 0)} as fast as the reference, the other ${formatRatio(correct?.score?.speedup?.value ?? 0)}`,
});
for (const { what, expected, result } of outcomes)
  console.log(`${expected ? "✓" : "✗ UNEXPECTED:"} ${what}: ${result}`);

console.log(`
To see the pages, run   npm start -- --data ${DATA}
and open                http://127.0.0.1:8080/boards/vectoradd/cpu
`);
process.exitCode = outcomes.every(({ expected }) => expected) ? 0 : 1;

function formatResult(run: RunSummary | undefined): string {
  if (run === undefined) return "it was not stored";
  if (run.verdict === "passed" && run.score !== null) return `passed, ${formatNs(run.score.timeNs.value)}`;
  return `${run.verdict}: ${run.message}`;
}

function kernelbot(...args: string[]): void {
  const env = { ...process.env, KERNELBOT_SERVER: server.url, KERNELBOT_TOKEN: token };
  const { status } = spawnSync(process.execPath, [CLI, ...args], { stdio: "inherit", env });
  // 1 means that the kernel failed, as two of the four must; higher codes are failures of the platform.
  if (status === null || status > 1) process.exitCode = 3;
}

function heading(text: string): void {
  console.log(`\n── ${text}\n`);
}
