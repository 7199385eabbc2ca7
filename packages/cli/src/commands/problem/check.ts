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
  about:
    "Says what is wrong with problems: their files, inputs, reference, tolerance, examples, and whether attacks pass.",
  positionals: ["DIR..."],
  options: {
    target: { type: "string", short: "t", value: "NAME", default: "cpu", help: "Whose cases to take" },
    jobs: { type: "string", short: "j", value: "N", default: "1", help: "How many problems at a time" },
    "unsafe-no-sandbox": { type: "boolean", help: "Run all code with all your rights; only for code that you trust" },
    quick: { type: "boolean", help: "Leave out what needs the judge: examples and attacks" },
    ...JSON_OPTION,
  },
  notes: [
    "DIR is a problem, a set of problems, a folder of sets, or the root of a repository with one of these in it. Their code runs in the sandbox.",
    "Exits with 0 where there is no error, 1 where there is one, 2 where DIR is no problem, and 3 where this machine cannot judge (kernelbot doctor says why).",
  ],
  run: async ({ target, quick, jobs, json, "unsafe-no-sandbox": unsafeNoSandbox }, given) => {
    const { checkProblems, problemDirectories } = await import("@kernelbot/tester");
    const directories = (await Promise.all(given.map(problemDirectories))).flat();
    const started = performance.now();
    const { print, style, width } = terminalOf(process.stdout);
    const status = openStatusLine(json);
    let done = 0;
    const onStep = (directory: string, step: string): void =>
      status.show(() => `${done + 1} of ${directories.length}  ${sanitize(directory)}: ${sanitize(step)}`);
    const problems = await untilInterrupted("Stopped; nothing of it runs any more.", async (signal) => {
      const { checked, ended } = checkProblems(directories, {
        target,
        quick,
        unsafeNoSandbox,
        jobs: wholeNumber(jobs),
        onStep,
        signal,
      });
      try {
        for (const promise of checked) {
          const one = sanitize(await promise);
          done += 1;
          for (const line of [...problemLines(one, style, width), ""]) status.tell(line, !json);
        }
        return await Promise.all(checked);
      } finally {
        await ended;
        status.end();
      }
    });
    const ok = problems.every(({ findings }) => findings.every(({ severity }) => severity !== "error"));
    const report: ProblemsChecked = { ok, target, tookS: (performance.now() - started) / 1000, problems };
    if (json) process.stdout.write(`${jsonDocument(report)}\n`);
    else print([totalLine(report)]);
    return ok ? EXIT.passed : EXIT.failed;
  },
});

/** Parses the value of --jobs. @throws UsageError when it is not an integer from 1 to 64. */
function wholeNumber(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1 && value <= 64) return value;
  throw new UsageError(`--jobs takes a whole number from 1 to 64, not ${JSON.stringify(text)}`);
}
