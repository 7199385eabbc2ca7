import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { findPython, loadProblemDirectory, startTester } from "@kernelbot/tester";
import { z } from "zod";
import type { Bench, Figure } from "./figure.ts";
import { rank } from "./judged.ts";

const SET = resolve(import.meta.dirname, "../problems/pmpp");
const TIMERS = join(import.meta.dirname, "judge_time.py");

const Times = z.object({ seconds: z.record(z.string(), z.number()), calls: z.record(z.string(), z.number()) });

/**
 * Measures on what a ranked run of each PMPP problem spends its wall time: inputs, copies, eviction, stopping, kernel,
 * reference, checks. The parts add up to the time of the run; times of nested parts are not counted twice.
 */
export const judgeTime: Bench = async () => {
  const folder = mkdtempSync(join(tmpdir(), "kernelbot-judge-time-"));
  const python = join(folder, "python3");
  const { path } = await findPython();
  writeFileSync(python, `#!/bin/sh\nexec ${path} ${TIMERS} "$@"\n`);
  chmodSync(python, 0o755);
  let log = "";
  const tester = await startTester({ python, onLog: (text) => (log += text) });
  const figures: Figure[] = [];
  try {
    for (const name of readdirSync(SET)) {
      const directory = join(SET, name);
      log = "";
      const { wallS } = await rank(
        tester,
        await loadProblemDirectory(directory),
        join(directory, "solutions/correct.py"),
      );
      // The judge has written its times before the verdict, but standard error may be read later.
      while (!/^judge-time .*\n/m.test(log)) await setTimeout(10);
      const { seconds, calls } = Times.parse(JSON.parse(/^judge-time (.*)$/m.exec(log)?.[1] ?? "{}"));
      figures.push({ name: `${name}: ranked run`, value: wallS, unit: "s" });
      for (const [part, value] of Object.entries(seconds).toSorted(([, a], [, b]) => b - a)) {
        figures.push({ name: `${name}: ${part}, ${calls[part] ?? 0} times`, value, unit: "s" });
      }
    }
    return figures;
  } finally {
    await tester.close();
    rmSync(folder, { recursive: true });
  }
};
