/** What a problem takes, and on which terms: what a person is told before handing in. */
import type { Licence } from "./declaration.ts";
import type { Language } from "./language.ts";

export interface Terms {
  languages: Language[];
  /** The targets whose boards take submissions; none where the problem was taken away. */
  targets: string[];
  /**
   * Whether ranked submissions are taken now, the bounds of the time in which they are, and on which targets; null for all.
   */
  ranked: {
    state: "open" | "before" | "after";
    opensAt: string | null;
    closesAt: string | null;
    targets: string[] | null;
  };
  /** False where members of the competition alone take part, and the viewer is none. */
  mayTakePart: boolean;
  /** False where the problem's own harness judges, which knows no mode profile. */
  profiles: boolean;
  /** Null for practice. */
  competition: { name: string; title: string; licence: Licence | null } | null;
  /** Under which the account lets its submissions be published unless they say otherwise; null where it does not. */
  licence: Licence | null;
}
