/** Which competitions may be in a snapshot. */
import type { CodeVisibility, Visibility } from "@kernelbot/core";

export interface Candidate {
  name: string;
  visibility: Visibility;
  codeVisibility: CodeVisibility;
  /** When its boards are whole for good: its end, or its reveal. */
  endsAt: Date;
  ended: boolean;
}

/** SQL: competitions as candidates. */
export const CANDIDATES = `select name, visibility, code_visibility as "codeVisibility",
  coalesce(reveal_at, ends_at) as "endsAt", coalesce(reveal_at, ends_at) <= now() as ended from competition`;

/** Why a competition may not be in a snapshot, in a sentence; null where it may. */
export function whyNot({ name, visibility, codeVisibility, endsAt, ended }: Candidate): string | null {
  if (visibility === "closed") return `${name} is closed: what its members submit stays among them`;
  if (codeVisibility === "never")
    return `${name} shows the sources of its submissions to nobody, after its end neither`;
  if (!ended) return `${name} is open until ${endsAt.toISOString()}; its data can be exported after that`;
  return null;
}
