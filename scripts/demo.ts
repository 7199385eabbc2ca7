/**
 * Four kernels for one board: a correct one, a faster one, a wrong one and one that forges its result. Starts a server
 * with a local runner, submits them as a participant would, and ends with exit code 0 only if all four came out right.
 */
import { spawnSync } from "node:child_process";
import { homedir } from "node:os";
import { join, relative, resolve } from "node:path";
import { KernelBotError, createClient, type RunSummary } from "@kernelbot/core";
import { CLI, startServer } from "./processes.ts";

const ROOT = resolve(import.meta.dirname, "..");
const SOLUTIONS = join(ROOT, "problems/pmpp/vectoradd/solutions");
const KERNELS = [
  { what: "a correct kernel", file: "correct.py", verdict: "passed" },
  { what: "a faster correct kernel", file: "fast_blocked.py", verdict: "passed" },
  { what: "a kernel that forgets the tail", file: "wrong_tail.py", verdict: "failed" },
  { what: "a kernel that forges its result", file: "forge.py", verdict: "failed" },
] as const;

const dataDir = process.getuid?.() === 0 ? "/var/lib/kernelbot-demo" : join(homedir(), ".local/share/kernelbot-demo");

heading("Starting a server with its own PostgreSQL and a runner for the target cpu");
await using server = await startServer({ dataDir, localRunner: "cpu", onLine: (line) => console.log(`  ${line}`) });
const token = mintToken();
const client = createClient({ server: server.url, token });

const runs: RunSummary[] = [];
for (const { what, file } of KERNELS) {
  heading(`Submitting ${what}: ${file}`);
  kernelbot(["submit", join(SOLUTIONS, file), "--board", "vectoradd", "--target", "cpu", "--mode", "ranked"]);
  const [latest] = await client.submissions({ limit: 1 });
  const run = latest?.runs[0];
  if (latest?.fileName !== file || run === undefined) throw new KernelBotError("internal", `${file} was not stored`);
  runs.push(run);
}

heading("The board");
kernelbot(["board", "vectoradd", "--target", "cpu"]);

heading("What came out");
const [correct, faster] = runs;
const outcomes: { what: string; right: boolean; said: string }[] = KERNELS.map(({ what, verdict }, index) => {
  const run = runs[index];
  return { what, right: run?.verdict === verdict, said: run?.message ?? run?.verdict ?? "no verdict" };
});
outcomes.push({
  what: "the faster kernel is the faster one",
  right: (faster?.score?.timeNs.value ?? Infinity) < (correct?.score?.timeNs.value ?? 0),
  said: `${faster?.score?.speedup.value.toFixed(2)}× the reference, against ${correct?.score?.speedup.value.toFixed(2)}×`,
});
for (const { what, right, said } of outcomes)
  console.log(`  ${right ? "as it must" : "NOT AS IT MUST"}  ${what}: ${said}`);

console.log(`
The pages:  npm start -- --data ${relative(process.cwd(), dataDir).startsWith("..") ? dataDir : relative(process.cwd(), dataDir)}
            then open http://127.0.0.1:8080/boards/vectoradd/cpu`);
process.exitCode = outcomes.every(({ right }) => right) ? 0 : 1;

/** A token of the participant of this demo, made the way an operator makes one. */
function mintToken(): string {
  return server.token;
}

function kernelbot(args: string[]): void {
  const env = { ...process.env, KERNELBOT_SERVER: server.url, KERNELBOT_TOKEN: token };
  const { status } = spawnSync(process.execPath, [CLI, ...args], { stdio: "inherit", env });
  // 1 says that the kernel failed, which two of the four must; anything above is the platform's failure.
  if (status === null || status > 1) throw new Error(`kernelbot ${args[0]} ended with exit code ${status}`);
}

function heading(text: string): void {
  console.log(`\n── ${text}\n`);
}
