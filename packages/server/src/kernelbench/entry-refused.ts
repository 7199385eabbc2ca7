import { KernelBotError, type KernelBenchEntryFault } from "@kernelbot/core";

/** Maximum number of faults in the error message. */
const MAX_LISTED = 20;

/** A rejected submission file, with all faults. */
export class EntryRefused extends KernelBotError {
  readonly faults: readonly KernelBenchEntryFault[];

  constructor(faults: readonly KernelBenchEntryFault[]) {
    const errors = faults.filter(({ severity }) => severity === "error");
    const lines = errors.slice(0, MAX_LISTED).map(({ key, what }) => (key === null ? what : `${key}: ${what}`));
    const more = errors.length > MAX_LISTED ? [`and ${errors.length - MAX_LISTED} more`] : [];
    super("unprocessable", [...lines, ...more].join("; "), { fields: { faults } });
    this.name = "EntryRefused";
    this.faults = faults;
  }
}
