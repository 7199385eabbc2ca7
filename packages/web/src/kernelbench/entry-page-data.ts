/** Data of the page of a KernelBench entry. */
import type { BaselineTime, KernelBenchEntry, Suite, TargetAvailability } from "@kernelbot/core";
import type { Visit } from "../layout/page-context.ts";
import type { KernelFilter } from "./filter.ts";

export interface EntryPage {
  entry: KernelBenchEntry;
  /** Suite in the version that the entry was made for. */
  suite: Suite;
  /** Runners and queue of the target. */
  runners: TargetAvailability;
  filter: KernelFilter;
  /** IDs of the stored baselines that can be chosen. */
  baselines: readonly string[];
  /** Times of the baseline by which the entry is scored, if it is a stored one. */
  stored: readonly BaselineTime[];
  /** Actions that the viewer may take. */
  acts: { stop: boolean; resume: boolean; publish: boolean };
  /** Path of the entry's updates after the state that the page shows. */
  updates: string;
  /** Why the requested action failed. */
  problem?: string | undefined;
  now: Date;
  visit: Visit;
}
