import { KernelBotError, type KernelBenchEntryFault } from "@kernelbot/core";

/** Maximum number of faults in the error message. */
const TOLD = 20;

/** A rejected submission file, with all faults. */
export class EntryRefused extends KernelBotError {
  readonly faults: readonly KernelBenchEntryFault[];

  constructor(faults: readonly KernelBenchEntryFault[]) {
    const errors = faults.filter(({ severity }) => severity === "error");
    const lines = errors.slice(0, TOLD).map(({ key, what }) => (key === null ? what : `${key}: ${what}`));
    const more = errors.length > TOLD ? [`and ${errors.length - TOLD} more`] : [];
    super("unprocessable", [...lines, ...more].join("; "), { fields: { faults } });
    this.name = "EntryRefused";
    this.faults = faults;
  }
}
