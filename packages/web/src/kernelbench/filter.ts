/** Filter of an entry's kernels, as contained in the URL. */
import { kernelKeyText, LEVELS, type KernelResult } from "@kernelbot/core";
import { html, type Html } from "../html.ts";
import { keyWords, KERNEL_OUTCOMES, OUTCOME_WORDS, outcomeOf, type KernelOutcome } from "./format.ts";

export interface KernelFilter {
  level: number | null;
  outcome: KernelOutcome | "failed" | null;
  /** Search words; each must occur in the kernel's key, its problem's name or its message. */
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
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return results.filter((result) => {
    if (level !== null && result.level !== level) return false;
    const own = outcomeOf(result);
    if (outcome === "failed" ? NO_FAILURES.includes(own) : outcome !== null && own !== outcome) return false;
    const text = [kernelKeyText(result), keyWords(result), nameOf(result), result.message ?? ""]
      .join("\n")
      .toLowerCase();
    return words.every((word) => text.includes(word));
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
 * `kept` are the other query parameters.
 */
export function filterForm(
  path: string,
  { level, outcome, search }: KernelFilter,
  kept: Readonly<Record<string, string>>,
): Html {
  return html`<form class="filters" id="filters" action="${path}" role="search">
    ${Object.entries(kept).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
    <label class="find"
      >Find
      <input type="search" name="search" value="${search}" placeholder="problem or message" maxlength="200" />
    </label>
    <label
      >Level
      <select name="level">
        ${option("", "all", level === null)} ${LEVELS.map((each) => option(String(each), String(each), each === level))}
      </select>
    </label>
    <label
      >Came out
      <select name="outcome">
        ${option("", "in any way", outcome === null)} ${option("failed", "failed in any way", outcome === "failed")}
        ${KERNEL_OUTCOMES.map((each) => option(each, OUTCOME_WORDS[each], each === outcome))}
      </select>
    </label>
    <button class="quiet">Show</button>
  </form>`;
}

function option(value: string, words: string, isChosen: boolean): Html {
  return html`<option value="${value}" ${isChosen ? html`selected` : null}>${words}</option>`;
}
