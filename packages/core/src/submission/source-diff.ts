/** Line-based differences between two sources, as in unified diffs. */
import { structuredPatch } from "diff";
import { z } from "zod";

export const DiffLine = z.object({
  kind: z.enum(["same", "removed", "added"]),
  /** Text without its line ending. */
  text: z.string(),
  /** Line number in each file, from 1; null in the file that lacks the line. */
  a: z.number().int().positive().nullable(),
  b: z.number().int().positive().nullable(),
});
export type DiffLine = z.infer<typeof DiffLine>;

/** Adjacent changes with context lines. */
export const DiffHunk = z.object({ lines: z.array(DiffLine) });
/** Empty if the sources are equal; null if they differ too much to be compared within the time limit. */
export const SourceDiff = z.array(DiffHunk).nullable();
export type SourceDiff = z.infer<typeof SourceDiff>;

const CONTEXT_LINES = 3;
/**
 * The search time grows with the square of the number of changes; sources are untrusted, and the server is blocked
 * meanwhile.
 */
const MOST_CHANGES = 4000;
const LONGEST_MS = 500;

const KINDS = { " ": "same", "-": "removed", "+": "added" } as const;

/** Returns the differences from source `a` to source `b`. */
export function diffSources(a: string, b: string): SourceDiff {
  const patch = structuredPatch("a", "b", a, b, undefined, undefined, {
    context: CONTEXT_LINES,
    maxEditLength: MOST_CHANGES,
    timeout: LONGEST_MS,
  });
  if (patch === undefined) return null;
  return patch.hunks.map(({ oldStart, newStart, lines }) => ({ lines: numbered(lines, oldStart, newStart) }));
}

function numbered(lines: readonly string[], oldStart: number, newStart: number): DiffLine[] {
  let [a, b] = [oldStart, newStart];
  return lines.flatMap((line): DiffLine[] => {
    const kind = KINDS[line.charAt(0) as keyof typeof KINDS] as DiffLine["kind"] | undefined;
    // `\ No newline at end of file` is not a line of either file.
    if (kind === undefined) return [];
    return [
      {
        kind,
        text: line.slice(1),
        a: kind === "added" ? null : a++,
        b: kind === "removed" ? null : b++,
      },
    ];
  });
}

/** Formats the position of a hunk in both files: `@@ -3,7 +3,9 @@`. */
export function hunkHeader({ lines }: z.infer<typeof DiffHunk>): string {
  const range = (side: "a" | "b") => {
    const numbers = lines.map((line) => line[side]).filter((number) => number !== null);
    return `${numbers[0] ?? 0},${numbers.length}`;
  };
  return `@@ -${range("a")} +${range("b")} @@`;
}
