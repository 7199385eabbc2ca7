/** What changed from one source to another, line by line, as unified diffs have it. */
import { structuredPatch } from "diff";
import { z } from "zod";

export const DiffLine = z.object({
  kind: z.enum(["same", "removed", "added"]),
  /** Without its end of line. */
  text: z.string(),
  /** Its number in each file, counted from 1; null in the file that does not have it. */
  a: z.number().int().positive().nullable(),
  b: z.number().int().positive().nullable(),
});
export type DiffLine = z.infer<typeof DiffLine>;

/** Changes that lie together, with the lines around them. */
export const DiffHunk = z.object({ lines: z.array(DiffLine) });
/** Empty where the sources are the same; null where they have too little in common to tell in reasonable time. */
export const SourceDiff = z.array(DiffHunk).nullable();
export type SourceDiff = z.infer<typeof SourceDiff>;

const CONTEXT_LINES = 3;
/** The time of the search grows with the square of the changes. Sources are strangers', and a server waits meanwhile. */
const MOST_CHANGES = 4000;
const LONGEST_MS = 500;

const KINDS = { " ": "same", "-": "removed", "+": "added" } as const;

/** From source `a` to source `b`. */
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
    // `\ No newline at end of file` is no line of either.
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

/** `@@ -3,7 +3,9 @@`, the place of a hunk in both files. */
export function hunkHeader({ lines }: z.infer<typeof DiffHunk>): string {
  const range = (side: "a" | "b") => {
    const numbers = lines.map((line) => line[side]).filter((number) => number !== null);
    return `${numbers[0] ?? 0},${numbers.length}`;
  };
  return `@@ -${range("a")} +${range("b")} @@`;
}
