import { relative, resolve } from "node:path";
import { checkProblems, problemDirectories } from "@kernelbot/tester";
import type { Bench, Figure } from "./figure.ts";

const ROOT = resolve(import.meta.dirname, "..", "problems");

/** Measures the time in seconds of the checks of each bundled problem, two problems at a time, and in total. */
export const problems: Bench = async () => {
  const directories = await problemDirectories(ROOT);
  const started = performance.now();
  const { checked, ended } = checkProblems(directories, { jobs: 2 });
  const figures: Figure[] = [];
  let faulty = 0;
  for (const promise of checked) {
    const { directory, tookS, findings } = await promise;
    const name = relative(ROOT, directory);
    const faults = findings.filter(({ severity }) => severity === "error");
    for (const { where, what } of faults) console.error(`${name}: ${where}: ${what}`);
    if (faults.length > 0) faulty += 1;
    console.error(`${figures.length + 1} of ${directories.length}  ${name}  ${tookS.toFixed(1)} s`);
    figures.push({ name: `problem ${name}`, value: tookS, unit: "s" });
  }
  await ended;
  return [
    ...figures,
    { name: "all problems", value: (performance.now() - started) / 1000, unit: "s" },
    { name: "problems with errors", value: faulty, unit: `of ${directories.length}` },
  ];
};
