import { KernelBotError, type EntryFault } from "@kernelbot/core";

/** So many faults are told in the sentence. */
const TOLD = 20;

/** A submission file that is not taken, with all that is wrong with it. */
export class EntryRefused extends KernelBotError {
  readonly faults: readonly EntryFault[];

  constructor(faults: readonly EntryFault[]) {
    const errors = faults.filter(({ severity }) => severity === "error");
    const lines = errors.slice(0, TOLD).map(({ key, what }) => (key === null ? what : `${key}: ${what}`));
    const more = errors.length > TOLD ? [`and ${errors.length - TOLD} more`] : [];
    super("unprocessable", [...lines, ...more].join("; "));
    this.name = "EntryRefused";
    this.faults = faults;
  }
}
