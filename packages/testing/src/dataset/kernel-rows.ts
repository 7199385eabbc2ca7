import type { KernelRow } from "../../../dataset/src/formats/kernel-row.ts";

const ROW: KernelRow = {
  submissionId: 1,
  runId: 1,
  competition: "cup",
  problem: "sort",
  target: "cpu",
  userId: "u1",
  userName: "ada",
  codeKey: "c1",
  codeId: 1,
  fileName: "a.py",
  submittedAt: "2026-01-01T00:00:00.000000Z",
  mode: "ranked",
  passed: true,
  scoreNs: null,
  place: undefined,
  givesScore: undefined,
  speedup: null,
  rankedBy: null,
  failureClass: null,
  code: null,
};

/** Returns a row submitted on that day of January 2026; the day is also its submission id by default. */
export function kernelRow(day: number, row: Partial<KernelRow> = {}): KernelRow {
  const submittedAt = `2026-01-${String(day).padStart(2, "0")}T00:00:00.000000Z`;
  return { ...ROW, submissionId: day, codeKey: `c${day}`, submittedAt, ...row };
}
