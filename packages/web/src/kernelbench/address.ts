/** Where the pages of KernelBench are. */
import type { SuiteKey } from "@kernelbot/core";
import { choiceQuery, OFFICIAL, withQuery, type Choice } from "./choice.ts";

/** What a page of a suite is of. */
export interface On {
  suite: string;
  target: string;
}

export function modelsPath({ suite, target }: On, choice: Choice = OFFICIAL): string {
  return withQuery("/kernelbench", { suite, target, ...choiceQuery(choice) });
}

/** Where the updates of a list of models are told, from what the page shows on. */
export function updatesPath({ suite, target }: On, revision: number): string {
  return withQuery("/kernelbench/updates", { suite, target, after: String(revision) });
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

/** Where a file is handed in, with what it is for chosen. */
export function submitPath(on: On | null): string {
  return withQuery("/kernelbench/submit", on === null ? {} : { suite: on.suite, target: on.target });
}
