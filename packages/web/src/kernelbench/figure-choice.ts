/** Choice of figures and baseline of a page, as query parameters and as links. */
import {
  baselineText,
  type BaselineChoice,
  type KernelBenchScore,
  type KernelBenchEntrySummary,
  type KernelBenchFigures,
  type RobustKernelBenchFigures,
} from "@kernelbot/core";
import { html, type Html } from "../html.ts";

export const FIGURE_KINDS = ["official", "robust"] as const;
export type FigureKind = (typeof FIGURE_KINDS)[number];

export interface Choice {
  figures: FigureKind;
  baseline: BaselineChoice;
}

export const OFFICIAL: Choice = { figures: "official", baseline: { kind: "eager" } };

/** Returns the choice of the official figures with a baseline. */
export function byBaseline(baseline: BaselineChoice): Choice {
  return { figures: "official", baseline };
}

/** Describes a baseline: `the eager model`, `the compiled model`, `the stored baseline h100-2026`. */
export function baselineLabel(baseline: BaselineChoice): string {
  return baseline.kind === "stored" ? `the stored baseline ${baseline.id}` : `the ${baseline.kind} model`;
}

export function figuresOf(score: KernelBenchScore, kind: FigureKind): KernelBenchFigures | RobustKernelBenchFigures {
  return kind === "robust" ? score.robust : score.overall;
}

/** Returns a choice as query parameters, without those at their defaults. */
export function choiceQuery({ figures, baseline }: Choice): Record<string, string> {
  return {
    ...(figures === "robust" && { figures }),
    ...(baseline.kind !== "eager" && { baseline: baselineText(baseline) }),
  };
}

/** Returns a baseline as query parameters. */
export function baselineQuery(baseline: BaselineChoice): Record<string, string> {
  return choiceQuery(byBaseline(baseline));
}

/** Returns a path with query parameters. */
export function withQuery(path: string, query: Readonly<Record<string, string>>): string {
  const text = new URLSearchParams(query).toString();
  return text === "" ? path : `${path}?${text}`;
}

export interface Option {
  label: string;
  path: string;
  isChosen: boolean;
}

/** Renders a row of links, of which one is current. */
export function linkChoice(name: string, options: readonly Option[]): Html {
  return html`<div class="one-of" role="group" aria-label="${name}">
    <span class="quiet">${name}</span>
    ${options.map(
      ({ label, path, isChosen }) =>
        html`<a href="${path}" ${isChosen ? html`aria-current="true"` : null}>${label}</a>`,
    )}
  </div>`;
}

/** Renders the choices of figures and of baseline. */
export function choices(choice: Choice, baselines: readonly string[], path: (choice: Choice) => string): Html {
  return html`${linkChoice(
    "Figures",
    FIGURE_KINDS.map((figures) => ({
      label: figures,
      path: path({ ...choice, figures }),
      isChosen: figures === choice.figures,
    })),
  )}
  ${baselineChoice(choice.baseline, baselines, (baseline) => path({ ...choice, baseline }))}`;
}

/** Renders the choice of baseline. `stored` are the IDs of baselines that were measured at another time. */
export function baselineChoice(
  chosen: BaselineChoice,
  stored: readonly string[],
  path: (baseline: BaselineChoice) => string,
): Html {
  const all: BaselineChoice[] = [
    { kind: "eager" },
    { kind: "compiled" },
    ...stored.map((id) => ({ kind: "stored", id }) as const),
  ];
  const options = linkChoice(
    "Speedup over",
    all.map((baseline) => ({
      label: baseline.kind === "stored" ? baseline.id : baseline.kind,
      path: path(baseline),
      isChosen: baselineText(baseline) === baselineText(chosen),
    })),
  );
  if (chosen.kind !== "stored") return options;
  return html`${options}
    <small class="quiet">Only entries judged on the hardware of this baseline are scored by it.</small>`;
}

/**
 * Renders a notice that no kernel was timed against the baseline, with a link to the eager model. `what` is the subject
 * of the sentence.
 */
export function untimed(what: string, baseline: BaselineChoice, eagerPath: string): Html {
  return html`<p class="notice care">
    ${what} was timed against ${baselineLabel(baseline)}. <a href="${eagerPath}">Use the eager model</a>, which is
    always timed.
  </p>`;
}

/**
 * Ranks entries by correct rate, then Fast@1, then the mean; entries equal in all three share a rank. Drafts have none.
 */
export function ranked(
  entries: readonly KernelBenchEntrySummary[],
  kind: FigureKind,
): { entry: KernelBenchEntrySummary; rank: number | null }[] {
  const keys = ({ score }: KernelBenchEntrySummary): number[] => {
    const { correct, fast, geoMean } = figuresOf(score, kind);
    const fast1 = fast.find(({ p }) => p === 1)?.atLeast;
    return [part(correct), fast1 === undefined ? 0 : part(fast1), geoMean ?? 0];
  };
  const compare = (a: KernelBenchEntrySummary, b: KernelBenchEntrySummary): number => {
    const [ours, theirs] = [keys(a), keys(b)];
    return ours.map((value, at) => (theirs[at] ?? 0) - value).find((difference) => difference !== 0) ?? 0;
  };
  let position = 0;
  let rank = 0;
  let before: KernelBenchEntrySummary | undefined;
  return entries.toSorted(compare).map((entry) => {
    if (entry.publishedAt === null) return { entry, rank: null };
    position += 1;
    if (before === undefined || compare(before, entry) !== 0) rank = position;
    before = entry;
    return { entry, rank };
  });
}

function part({ count, of }: { count: number; of: number }): number {
  return of === 0 ? 0 : count / of;
}
