/**
 * Runs all static checks one after another and prints the time of each; stops at the first failure, with its output.
 */
import { spawnSync } from "node:child_process";
import { findPython } from "@kernelbot/tester";

const { path: python } = await findPython();
/** Folders with TypeScript. */
const FOLDERS = ["packages", "features", "tester", "scripts", "bench", "tests", "problems"];
const CHECKS: [what: string, ...command: string[]][] = [
  ["format", "prettier", "--cache", "--cache-strategy", "content", "--check", "--log-level", "warn", "."],
  // One thread takes two thirds of the processor time of several, which other tests use meanwhile.
  ["types", "node", "node_modules/ts7/bin/tsc", "-p", "tsconfig.json", "--singleThreaded"],
  ["imports", "node", "scripts/imports.ts", ...FOLDERS],
  ["lint", "oxlint", "--threads=1", "--deny-warnings", "--report-unused-disable-directives", "."],
  [
    "python compiles",
    python,
    "-m",
    "compileall",
    "-q",
    "clients",
    "tester",
    "problems",
    "suites/kernelbench-mini/KernelBench",
  ],
  ["python types", "pyright", "--pythonpath", python],
];

/**
 * For the programs in Go, tsc and oxlint: fewer garbage collections take a fifth less processor time, and one thread a
 * seventh less than two.
 */
const env = { ...process.env, GOGC: "400", GOMAXPROCS: "1" };

for (const [what, program, ...args] of CHECKS) {
  const started = Date.now();
  const { status, stdout, stderr } = spawnSync(program as string, args, { encoding: "utf8", env, maxBuffer: 1 << 28 });
  console.log(
    `check  ${what.padEnd(16)} ${status === 0 ? "ok" : "FAILED"}  ${((Date.now() - started) / 1000).toFixed(1)} s`,
  );
  if (status !== 0) {
    process.stderr.write(`${stdout}${stderr}`);
    process.exit(1);
  }
}
