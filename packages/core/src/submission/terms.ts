/** Conditions under which a problem accepts submissions, as shown before submitting. */
import type { Licence } from "../vocabulary/declaration.ts";
import type { Language } from "../vocabulary/language.ts";

export interface SubmissionTerms {
  languages: Language[];
  /** Targets whose boards accept submissions; empty if the problem was removed. */
  targets: string[];
  /**
   * Whether ranked submissions are accepted now, the start and end of that period, and the targets; null for all
   * targets.
   */
  ranked: {
    state: "open" | "before" | "after";
    opensAt: string | null;
    closesAt: string | null;
    targets: string[] | null;
  };
  /** False if only members of the competition may submit and the viewer is not a member. */
  mayTakePart: boolean;
  /** False if the problem's own harness judges, which has no mode `profile`. */
  profiles: boolean;
  /** Whether the problem has an application, which mode `application` runs. */
  hasApplication: boolean;
  /** Null for a practice problem. */
  competition: { name: string; title: string; licence: Licence | null } | null;
  /** Account's default licence for its submissions; null if it permits no publication. */
  licence: Licence | null;
}
