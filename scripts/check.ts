/**
 * Runs all static checks one after another and prints the time of each; stops at the first failure, with its output.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { findPython } from "@kernelbot/tester";

const { path: python } = await findPython();
/** Results for unchanged files. A rule that needs the types of other files is checked again when its own file changes. */
const CACHE = "node_modules/.cache";
/** ESLint notices a change of its own configuration only, while typed rules depend on that of TypeScript. */
const LINT_CACHE = `${CACHE}/eslint-${createHash("sha256").update(readFileSync("tsconfig.json")).digest("hex").slice(0, 8)}`;
const CHECKS: [what: string, ...command: string[]][] = [
  ["format", "prettier", "--cache", "--check", "--log-level", "warn", "."],
  ["wording", "node", "scripts/language.ts"],
  ["types", "node", "node_modules/ts7/bin/tsc", "-p", "tsconfig.json"],
  ["imports", "node", "scripts/imports.ts", "packages", "tester", "scripts", "bench", "tests", "problems"],
  [
    "lint",
    "eslint",
    "--cache",
    "--cache-location",
    LINT_CACHE,
    "--cache-strategy",
    "content",
    "--max-warnings",
    "0",
    ".",
  ],
  ["python compiles", python, "-m", "compileall", "-q", "tester", "problems", "suites/kernelbench-mini/KernelBench"],
  ["python types", "pyright", "--pythonpath", python],
];

for (const [what, program, ...args] of CHECKS) {
  const started = Date.now();
  const { status, stdout, stderr } = spawnSync(program as string, args, { encoding: "utf8", maxBuffer: 1 << 28 });
  console.log(
    `check  ${what.padEnd(16)} ${status === 0 ? "ok" : "FAILED"}  ${((Date.now() - started) / 1000).toFixed(1)} s`,
  );
  if (status !== 0) {
    process.stderr.write(`${stdout}${stderr}`);
    process.exit(1);
  }
}
