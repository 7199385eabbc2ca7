/** What a problem takes, and on which terms: what a person is told before handing in. */
import type { Licence } from "./declaration.ts";
import type { Language } from "./language.ts";

export interface Terms {
  languages: Language[];
  /** The targets whose boards take submissions; none where the problem was taken away. */
  targets: string[];
  /** Whether ranked submissions are taken now, and the bounds of the time in which they are. */
  ranked: { state: "open" | "before" | "after"; opensAt: string | null; closesAt: string | null };
  /** False where the problem's own harness judges, which knows no mode profile. */
  profiles: boolean;
  /** Null for practice. */
  competition: { name: string; title: string; licence: Licence | null } | null;
  /** Under which the account lets its submissions be published unless they say otherwise; null where it does not. */
  licence: Licence | null;
}
