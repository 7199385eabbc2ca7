/** Results of a run: its verdict, its cases, and what the participant needs to fix it. */
import {
  detailTitle,
  formatAvailability,
  formatNs,
  formatScore,
  machineName,
  marksOf,
  NOISY_MEANS,
  infraErrorAdvice,
  formatRegime,
  type Rehearsal,
  type RunDetail,
  type StageResult,
  type Validation,
} from "@kernelbot/core";
import type { Style } from "../output/style.ts";
import { formatCount, oneLine, wrap } from "../output/text.ts";
import { checkedCases, timedCases } from "./cases.ts";
import type { Page } from "./page.ts";
import { reviewLines } from "./review.ts";
import { sampleLines } from "./samples.ts";
import { validationLines } from "./validation.ts";
import { runStatus, tick } from "./format.ts";

/** Maximum number of lines shown at each end of a long text. */
const SHOWN_LINES = 20;

/** Run on the server or local; a local run has no number and may be a rehearsal. */
type ShownRun = Omit<RunDetail, "id" | "submissionId" | "mode"> & { rehearsal?: Rehearsal | null };

/** Formats a run from its verdict to its output; `rank` is the text of its rank, null without one. */
export function runLines(run: ShownRun, rank: string | null, page: Page): string[] {
  const { style } = page;
  return [
    `${style.bold(run.target)}${rerunLabel(run)}  ${runStatus(run, style)}${scoreWords(run, style)}`,
    ...(rank === null ? [] : [`  ${rank}`]),
    ...indented(adviceLines(run, page.width - 2, style)),
    ...(run.stages.length === 0 ? [] : [""]),
    ...indented(stagesLines(run.stages, { ...page, width: page.width - 2 })),
    ...(run.validation === null && run.inUse === null
      ? []
      : validationLines((run.validation ?? run.inUse) as Validation, page)),
    ...indented(reviewLines(run.review, page.width - 2, style)),
    ...textBlock(detailTitle(run.failureClass), run.detail, page),
    ...run.stages.flatMap(({ stage, output }) =>
      output === null ? [] : textBlock(`Output of stage ${stage}`, outputText(output), page),
    ),
  ];
}

function scoreWords(run: ShownRun, style: Style): string {
  if (run.score === null) return "";
  const marks = marksOf({ ...run, noisy: run.score.noisy }).map(style.yellow);
  return `, ${[formatScore(run.score), ...marks].join(", ")}`;
}

/** Formats the reason and, when the participant cannot act, what happens next. */
function adviceLines(run: ShownRun, width: number, style: Style): string[] {
  const lines = run.message === null ? [] : wrap(oneLine(run.message), width);
  const noRunner = run.runners === null ? null : formatAvailability(run.target, run.runners, new Date());
  if (noRunner !== null) lines.push(...wrap(noRunner, width).map(style.yellow));
  if (run.verdict === "infra_error" && !run.rehearsal) lines.push(...wrap(infraErrorAdvice(run), width));
  if (run.verdict === "quarantined") lines.push("Not ranked unless a moderator accepts it.");
  if (run.score?.noisy) lines.push(...wrap(NOISY_MEANS, width).map(style.yellow));
  if (run.unsandboxed) lines.push(style.yellow("Judged without a sandbox: this result can be forged."));
  if (run.legacyHarness) {
    lines.push(
      ...wrap("Judged by the problem's legacy harness: the submission shares its processes.", width).map(style.yellow),
    );
  }
  if (run.machine !== null) {
    const words = [`on ${oneLine(machineName(run.machine))}`, formatRegime(run)].filter((word) => word !== null);
    lines.push(...wrap(words.join(", "), width).map(style.dim));
  }
  return lines;
}

/** Formats the stages; a blank line separates stages of more than one line. */
function stagesLines(stages: readonly StageResult[], page: Page): string[] {
  const blocks = stages.map((stage) => stageLines(stage, page));
  return blocks.flatMap((block, at) => {
    const apart = at > 0 && (block.length > 1 || (blocks[at - 1]?.length ?? 0) > 1);
    return apart ? ["", ...block] : block;
  });
}

function stageLines(result: StageResult, page: Page): string[] {
  const { style } = page;
  const passed = result.cases.filter((each) => each.status === "passed").length;
  const cases = result.cases.length === 0 ? "" : `, ${passed} of ${formatCount(result.cases.length, "case")} passed`;
  const duration = result.durationNs === null ? "" : `, ${formatNs(result.durationNs)}`;
  const head = `${tick(result.passed, style)} ${style.bold(result.stage)}${cases}${duration}`;
  const timed = result.stage === "benchmark" || result.stage === "ranked" || result.stage === "application";
  if (timed && result.cases.some((each) => each.score !== null)) {
    const failures = result.cases.filter((each) => each.status === "failed");
    return [
      head,
      ...indented(timedCases(result.cases, page.width - 2, style)),
      ...indented(checkedCases(failures, page.width - 2, style)),
      ...(page.histograms
        ? result.cases.flatMap((each) => indented(sampleLines(each, { ...page, width: page.width - 2 })))
        : []),
    ];
  }
  return result.passed === true ? [head] : [head, ...indented(checkedCases(result.cases, page.width - 2, style))];
}

function outputText(output: NonNullable<StageResult["output"]>): string {
  if (output.droppedBytes === 0) return output.head + output.tail;
  return `${output.head.replace(/\n$/, "")}\n… ${formatCount(output.droppedBytes, "byte")} omitted …\n${output.tail}`;
}

/** Formats output of the kernel. Each line is marked at the left, to separate it from the CLI's own text. */
export function textBlock(title: string, text: string | null, { width, style }: Page): string[] {
  if (text === null || text.trim() === "") return [];
  const lines = text.replace(/\n+$/, "").split("\n");
  const left = lines.length - 2 * SHOWN_LINES;
  const shown =
    left <= 1 ? lines : [...lines.slice(0, SHOWN_LINES), `… ${left} lines omitted …`, ...lines.slice(-SHOWN_LINES)];
  const marked = shown.flatMap((line) => wrap(line.replace(/\t/g, "    "), width - 4));
  return ["", `  ${style.bold(title)}`, ...marked.map((line) => `  ${style.dim("│")} ${line}`)];
}

function indented(lines: readonly string[]): string[] {
  return lines.map((line) => (line === "" ? "" : `  ${line}`));
}

function rerunLabel({ rerun, carriedTo }: ShownRun): string {
  if (carriedTo !== undefined) return `, revision ${carriedTo}`;
  return rerun > 0 ? `, re-run ${rerun}` : "";
}
