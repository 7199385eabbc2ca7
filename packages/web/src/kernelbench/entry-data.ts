/** The data of the page of a KernelBench entry. */
import type { BaselineTime, Entry, Suite } from "@kernelbot/core";
import type { Visit } from "../visit.ts";
import type { KernelFilter } from "./filter.ts";

export interface EntryPage {
  entry: Entry;
  /** In the version that the entry was made for. */
  suite: Suite;
  filter: KernelFilter;
  /** The ids of stored baselines that one can choose. */
  baselines: readonly string[];
  /** The times of the one by which the entry is scored, where it is a stored one. */
  stored: readonly BaselineTime[];
  /** What the one who looks may do. */
  acts: { stop: boolean; resume: boolean; publish: boolean };
  /** Where the entry's updates are told, from what the page shows on. */
  updates: string;
  /** Why what was asked for could not be done. */
  problem?: string | undefined;
  visit: Visit;
}
