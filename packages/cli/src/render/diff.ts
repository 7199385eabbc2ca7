import { hunkHeader, type DiffLine, type SourceDiff } from "@kernelbot/core";
import type { Style } from "../output/style.ts";

const SIGNS: Record<DiffLine["kind"], string> = { same: " ", removed: "-", added: "+" };

/** Formats a unified diff. Lines are not cut to the width, so the output can be piped. */
export function diffLines(diff: SourceDiff, names: { a: string; b: string }, style: Style): string[] {
  if (diff === null) return ["The sources differ too much for a line-by-line diff."];
  if (diff.length === 0) return ["The sources are identical."];
  const marked: Record<DiffLine["kind"], (line: string) => string> = {
    same: (line) => line,
    removed: style.red,
    added: style.green,
  };
  return [
    style.bold(`--- ${names.a}`),
    style.bold(`+++ ${names.b}`),
    ...diff.flatMap((hunk) => [
      style.cyan(hunkHeader(hunk)),
      ...hunk.lines.map(({ kind, text }) => marked[kind](`${SIGNS[kind]}${text}`)),
    ]),
  ];
}
