/** Filter of an entry's kernels, as contained in the URL. */
import { kernelKeyText, LEVELS, type KernelResult } from "@kernelbot/core";
import { html, type Html } from "../html.ts";
import { formatKey, KERNEL_OUTCOMES, OUTCOME_LABELS, outcomeOf, type KernelOutcome } from "./format.ts";
import { option } from "../layout/forms.ts";

export interface KernelFilter {
  level: number | null;
  outcome: KernelOutcome | "failed" | null;
  /** Search terms; each must occur in the kernel's key, its problem's name or its message. */
  search: string;
}

export const ALL_KERNELS: KernelFilter = { level: null, outcome: null, search: "" };

export const FILTER_OUTCOMES = ["failed", ...KERNEL_OUTCOMES] as const;

const NO_FAILURES: readonly KernelOutcome[] = ["correct", "oracle", "held", "lost", "open"];

export function matchingKernels(
  results: readonly KernelResult[],
  { level, outcome, search }: KernelFilter,
  nameOf: (result: KernelResult) => string,
): readonly KernelResult[] {
  const terms = search.toLowerCase().split(/\s+/).filter(Boolean);
  return results.filter((result) => {
    if (level !== null && result.level !== level) return false;
    const own = outcomeOf(result);
    if (outcome === "failed" ? NO_FAILURES.includes(own) : outcome !== null && own !== outcome) return false;
    const text = [kernelKeyText(result), formatKey(result), nameOf(result), result.message ?? ""]
      .join("\n")
      .toLowerCase();
    return terms.every((term) => text.includes(term));
  });
}

/** Returns a filter as query parameters. */
export function filterQuery({ level, outcome, search }: KernelFilter): Record<string, string> {
  return {
    ...(level !== null && { level: String(level) }),
    ...(outcome !== null && { outcome }),
    ...(search.trim() !== "" && { search }),
  };
}

/**
 * Renders the filter form. Its button submits it without script; the island `board` submits it while the user types.
 * `otherQuery` are the other query parameters.
 */
export function filterForm(
  path: string,
  { level, outcome, search }: KernelFilter,
  otherQuery: Readonly<Record<string, string>>,
): Html {
  return html`<form class="filters" id="filters" action="${path}" role="search">
    ${Object.entries(otherQuery).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
    <label class="search-field"
      >Search
      <input type="search" name="search" value="${search}" placeholder="problem or message" maxlength="200" />
    </label>
    <label
      >Level
      <select name="level">
        ${option("", null, "All")} ${LEVELS.map((each) => option(String(each), level?.toString()))}
      </select>
    </label>
    <label
      >Status
      <select name="outcome">
        ${option("", null, "Any")} ${option("failed", outcome, "any failure")}
        ${KERNEL_OUTCOMES.map((each) => option(each, outcome, OUTCOME_LABELS[each]))}
      </select>
    </label>
    <button class="quiet">Filter</button>
  </form>`;
}
