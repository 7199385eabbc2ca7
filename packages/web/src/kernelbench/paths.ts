/** URL paths of the KernelBench pages. */
import type { SuiteKey } from "@kernelbot/core";
import { choiceQuery, OFFICIAL, withQuery, type Choice } from "./figure-choice.ts";

/** Suite and target of a page. */
export interface On {
  suite: string;
  target: string;
}

export function modelsPath({ suite, target }: On, choice: Choice = OFFICIAL): string {
  return withQuery("/kernelbench", { suite, target, ...choiceQuery(choice) });
}

/** Returns the path of the updates of a list of models after the change number that the page shows. */
export function updatesPath({ suite, target }: On, changeNumber: number): string {
  return withQuery("/kernelbench/updates", { suite, target, after: String(changeNumber) });
}

export function matrixPath({ suite, target }: On, choice: Choice = OFFICIAL): string {
  return withQuery("/kernelbench/matrix", { suite, target, ...choiceQuery({ ...choice, figures: "official" }) });
}

export function problemPath(suite: string, { level, problem }: SuiteKey, query: Record<string, string> = {}): string {
  return withQuery(`/kernelbench/problems/${suite}/${level}/${problem}`, query);
}

export function entryPath(id: number, query: Record<string, string> = {}): string {
  return withQuery(`/kernelbench/entries/${id}`, query);
}

/** Returns the path of the submission form, with suite and target selected. */
export function submitPath(on: On | null): string {
  return withQuery("/kernelbench/submit", on === null ? {} : { suite: on.suite, target: on.target });
}
