/** Marks next to a result, which say how far to trust it. */
export type Mark = "no sandbox" | "legacy harness" | "imported" | "late entry" | "noisy";

/** Properties of a result that have a mark. */
export interface Marked {
  unsandboxed: boolean;
  legacyHarness: boolean;
  imported?: boolean | undefined;
  lateEntry?: boolean | undefined;
  noisy?: boolean | undefined;
}

/** Returns the marks of a result. */
export function marksOf({ unsandboxed, legacyHarness, imported, lateEntry, noisy }: Marked): Mark[] {
  const marks: (Mark | false | undefined)[] = [
    unsandboxed && "no sandbox",
    legacyHarness && "legacy harness",
    imported && "imported",
    lateEntry && "late entry",
    noisy && "noisy",
  ];
  return marks.filter((mark) => mark !== undefined && mark !== false);
}

/** What the mark `noisy` means. */
export const NOISY_MEANS =
  "The machine was busy each time that this run was timed, so its result is uncertain. It does not replace a measured one.";
