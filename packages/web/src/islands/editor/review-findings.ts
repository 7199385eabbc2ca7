/** Findings of the static review in a submission, as shown to its owner. */
import type { ReviewFinding } from "@kernelbot/core";

/** Returns the findings of a run; none if the request fails, since findings do not affect the verdict. */
export async function findingsOf(runId: string): Promise<ReviewFinding[]> {
  const answer = await fetch(`/api/v1/runs/${runId}`).catch(() => null);
  if (answer?.ok !== true) return [];
  const { review } = (await answer.json()) as { review?: unknown };
  return Array.isArray(review) ? review.filter(isFinding) : [];
}

/** Checks a finding without the schemas of core, which would be larger than the rest of this script. */
function isFinding(value: unknown): value is ReviewFinding {
  if (typeof value !== "object" || value === null) return false;
  const { line, column, severity, sentence } = value as Record<string, unknown>;
  return (
    Number.isInteger(line) && Number.isInteger(column) && typeof severity === "string" && typeof sentence === "string"
  );
}
