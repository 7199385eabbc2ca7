import type { ProblemsChecked } from "@kernelbot/core";
import { defineCommand, JSON_OPTION } from "../../command/command.ts";
import { EXIT, UsageError } from "../../command/exit.ts";
import { untilInterrupted } from "../../command/interrupt.ts";
import { problemLines, totalLine } from "../../render/problem-check.ts";
import { openStatusLine } from "../../output/status-line.ts";
import { terminalOf } from "../../output/terminal.ts";
import { sanitize, jsonDocument } from "../../output/text.ts";

export const command = defineCommand({
  name: "problem check",
  positionals: ["DIR..."],
  options: {
    target: {
      type: "string",
      short: "t",
      value: "NAME",
      help: "Target whose cases are run (default: cpu); also the target of a problem for which no file names one",
    },
    jobs: { type: "string", short: "j", value: "N", default: "1", help: "Number of problems checked in parallel" },
    "unsafe-no-sandbox": {
      type: "boolean",
      help: "Run all code with all your permissions; only for code that you trust",
    },
    quick: { type: "boolean", help: "Skip the checks that need the judge: example solutions and attacks" },
    ...JSON_OPTION,
  },
  notes: [
    "Checks the files, inputs, reference, tolerance and example solutions of each problem, and that known attacks fail. DIR is " +
      "a problem, a set of problems, a folder of sets, or the root of a repository that contains one of these. Their code " +
      "runs in the sandbox. Name and targets may be in a competition file in a folder above the problem.",
    "Exits with 0 if there are no errors, 1 if there are, 2 if DIR has no problem, and 3 if this machine cannot judge " +
      "(kernelbot doctor shows why).",
  ],
  run: async ({ target, quick, jobs, json, "unsafe-no-sandbox": unsafeNoSandbox }, folders) => {
    const { checkProblems, DEFAULT_TARGET, problemDirectories } = await import("@kernelbot/tester");
    const directories = (await Promise.all(folders.map(problemDirectories))).flat();
    const started = performance.now();
    const { print, style, width } = terminalOf(process.stdout);
    const status = openStatusLine(json);
    let done = 0;
    const onStep = (directory: string, step: string): void =>
      status.step(`${done + 1} of ${directories.length}  ${sanitize(directory)}: ${sanitize(step)}`);
    const problems = await untilInterrupted("Interrupted; no process is left running.", async (signal) => {
      const { checked, ended } = checkProblems(directories, {
        ...(target !== undefined && { target }),
        quick,
        unsafeNoSandbox,
        jobs: parseJobs(jobs),
        onStep,
        signal,
      });
      try {
        for (const promise of checked) {
          const one = sanitize(await promise);
          done += 1;
          for (const line of [...problemLines(one, style, width), ""]) status.log(line, !json);
        }
        return await Promise.all(checked);
      } finally {
        await ended;
        status.end();
      }
    });
    const ok = problems.every(({ findings }) => findings.every(({ severity }) => severity !== "error"));
    const tookS = (performance.now() - started) / 1000;
    const report: ProblemsChecked = { ok, target: target ?? DEFAULT_TARGET, tookS, problems };
    if (json) process.stdout.write(`${jsonDocument(report)}\n`);
    else print([totalLine(report)]);
    return ok ? EXIT.passed : EXIT.failed;
  },
});

/** Parses the value of --jobs. @throws UsageError when it is not an integer from 1 to 64. */
function parseJobs(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1 && value <= 64) return value;
  throw new UsageError(`--jobs must be an integer from 1 to 64, not ${JSON.stringify(text)}`);
}
