import type { CheckedProblem, ProblemsChecked } from "@kernelbot/core";
import { defineCommand, JSON_OPTION } from "../../command.ts";
import { EXIT } from "../../exit.ts";
import { untilInterrupted } from "../../interrupt.ts";
import { problemLines, totalLine } from "../../render/problem-check.ts";
import { openStatusLine } from "../../status-line.ts";
import { terminalOf } from "../../terminal.ts";
import { cleaned, jsonDocument } from "../../text.ts";

export const command = defineCommand({
  name: "problem check",
  about:
    "Says what is wrong with problems: their files, inputs, reference, tolerance, examples, and whether attacks pass.",
  positionals: ["DIR..."],
  options: {
    target: { type: "string", short: "t", value: "NAME", default: "cpu", help: "Whose cases to take" },
    quick: { type: "boolean", help: "Leave out what needs the judge: examples and attacks" },
    ...JSON_OPTION,
  },
  notes: [
    "DIR is a problem, a set of problems, or a folder of sets. Runs the code of the problems: only for those that you trust.",
    "Exits with 0 where there is no error, 1 where there is one, 2 where DIR is no problem, and 3 where this machine cannot judge (kernelbot doctor says why).",
  ],
  run: async ({ target, quick, json }, given) => {
    const { openWorkshop, problemDirectories } = await import("@kernelbot/tester");
    const directories = (await Promise.all(given.map(problemDirectories))).flat();
    const started = performance.now();
    const { print, style, width } = terminalOf(process.stdout);
    const problems = await untilInterrupted("Stopped; nothing of it runs any more.", async (signal) => {
      const workshop = await openWorkshop(target);
      const status = openStatusLine(json);
      const checked: CheckedProblem[] = [];
      try {
        for (const directory of directories) {
          signal.throwIfAborted();
          const place = `${checked.length + 1} of ${directories.length}  ${cleaned(directory)}`;
          const onStep = (step: string): void => status.show(() => `${place}: ${cleaned(step)}`);
          const one = await workshop.check(directory, { quick, onStep, signal });
          checked.push(one);
          for (const line of [...problemLines(cleaned(one), style, width), ""]) status.tell(line, !json);
        }
        return checked;
      } finally {
        status.end();
        await workshop.close();
      }
    });
    const ok = problems.every(({ findings }) => findings.every(({ severity }) => severity !== "error"));
    const report: ProblemsChecked = { ok, target, tookS: (performance.now() - started) / 1000, problems };
    if (json) process.stdout.write(`${jsonDocument(report)}\n`);
    else print([totalLine(report)]);
    return ok ? EXIT.passed : EXIT.failed;
  },
});
