/** Texts of a pull request's comment and commit status: pure functions of the stored state. */
import { codeSpan } from "@kernelbot/core";
import type {
  KernelBenchEntryFault,
  KernelBenchScore,
  KernelBenchEntrySummary,
  KernelBenchFigures,
  Fraction,
} from "@kernelbot/core";
import { isFinished } from "./evaluation.ts";
import type { Refusal } from "./files.ts";
import type { CommitState } from "./github.ts";
import type { PullRow } from "./queue.ts";
import type { EntryStatus } from "./pull-state.ts";

/** Marker at the start of the comment, invisible when rendered. */
export const MARK = "<!-- kernelbot:kernelbench -->";

/** GitHub accepts 65,536 characters. */
const MAX_COMMENT = 60_000;
/** GitHub accepts 140 characters. */
const MAX_DESCRIPTION = 140;

type CommentState = Pick<PullRow, "state" | "notice" | "refusals" | "labelled_by">;

export function formatComment(pull: CommentState, followed: readonly EntryStatus[], publicUrl: string): string {
  const parts = [
    MARK,
    "### KernelBench",
    pull.notice ?? "",
    ...followed.map((each) => entryPart(pull, each, publicUrl)),
  ];
  const text = join(parts);
  if (pull.state !== "refused") return text;
  return join([text, refusalPart(pull.refusals ?? [], MAX_COMMENT - text.length)]);
}

function join(parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join("\n\n");
}

function entryPart({ state }: CommentState, { row, entry, isStopped }: EntryStatus, publicUrl: string): string {
  const { metadata, suite, suiteVersion, target, id } = entry;
  const page = `${publicUrl}/kernelbench/entries/${id}`;
  const link = `[entry ${id}](${page})`;
  const by = metadata.organization === "" ? "" : ` (${codeSpan(metadata.organization)})`;
  const head = `**${codeSpan(row.path, 120)}** at ${codeSpan(row.head_sha.slice(0, 10))}: ${codeSpan(metadata.display_name)}${by} on ${codeSpan(target)}, suite ${codeSpan(suite)} in version ${codeSpan(suiteVersion.slice(0, 12))}`;
  return join([
    head,
    progressLine(state, { entry, isStopped }),
    isFinished(entry) ? scoreTable(entry, page) : "",
    outcome({ row, entry, isStopped }, link),
  ]);
}

function progressLine(
  state: CommentState["state"],
  { entry, isStopped }: Pick<EntryStatus, "entry" | "isStopped">,
): string {
  const { waiting, queued, running, done, lost } = entry.progress;
  const all = waiting + queued + running + done + lost;
  if (isFinished(entry)) {
    return lost === 0
      ? ""
      : `Infrastructure errors: ${lost} of ${all} kernels were not evaluated. To evaluate them, add the label again.`;
  }
  if (isStopped || state !== "evaluating") return `Evaluation stopped: ${done} of ${all} kernels judged.`;
  const ways = [
    `${done} of ${all} kernels judged`,
    `${running} running`,
    `${queued} queued`,
    `${waiting} not yet queued`,
  ];
  return `Evaluating: ${ways.join(", ")}${lost > 0 ? `, ${lost} infrastructure errors` : ""}.`;
}

function outcome({ row, entry, isStopped }: EntryStatus, link: string): string {
  if (entry.publishedAt !== null) return `**Published**: ${link}`;
  if (isStopped) return `Not published while the evaluation is stopped: ${link}`;
  if (row.is_merged === false) return "Not published: the merged file differs from the evaluated file.";
  return `Will be published when this file is merged unchanged: ${link}`;
}

/** Formats the scores; every share shows its denominator. */
function scoreTable({ score, compiledBaseline }: KernelBenchEntrySummary, page: string): string {
  const columns = [score.overall, ...score.levels];
  const robust = [score.robust, ...score.robustLevels];
  const row = (name: string, cells: readonly string[]): string => `| ${name} | ${cells.join(" | ")} |`;
  const fast = (p: number) =>
    row(
      `Fast@${p}: ≥ ${p} (> ${p})`,
      columns.map((figures) => fastCell(figures, p)),
    );
  const table = [
    row("", ["All", ...score.levels.map(({ level }) => `Level ${level}`)]),
    row(
      "---",
      columns.map(() => "---:"),
    ),
    row(
      "Correct",
      columns.map(({ correct }) => share(correct)),
    ),
    ...[1, 1.5, 2].map(fast),
    row(
      "Compiled",
      columns.map(({ compiled }) => share(compiled)),
    ),
    row(
      "Geometric mean speedup, correct kernels",
      columns.map(({ geoMean, geoMeanOf }) => mean(geoMean, geoMeanOf)),
    ),
    row(
      "Robust geometric mean, all kernels (unsolved: 1×)",
      robust.map(({ geoMeanOfAll, problems }) => mean(geoMeanOfAll, problems)),
    ),
  ].join("\n");
  const more = compiledBaseline ? ` [Speedups over the compiled model](${page}?baseline=compiled).` : "";
  return `${table}\n\n${provenance(score)}${more}`;
}

function provenance({ baseline, evaluators, hardware, robust }: KernelBenchScore): string {
  const against = {
    eager: "the eager model in the same session",
    compiled: "the compiled model in the same session",
    stored: "a stored baseline",
  }[baseline.kind];
  const left = `The robust figures exclude ${robust.degenerate} degenerate problems and count ${robust.belowSpeedOfLight} kernels faster than the speed of light as unsolved.`;
  return `Speedups over ${against}; hardware: ${list(hardware)}; tester version: ${list(evaluators)}. ${left}`;
}

function list(texts: readonly string[]): string {
  return texts.length === 0
    ? "(none)"
    : texts
        .slice(0, 5)
        .map((text) => codeSpan(text))
        .join(", ");
}

function fastCell({ fast }: KernelBenchFigures, p: number): string {
  const at = fast.find((each) => each.p === p);
  return at === undefined ? "–" : `${share(at.atLeast)} (${share(at.above)})`;
}

function share({ count, of }: Fraction): string {
  return `${count}/${of}`;
}

function mean(value: number | null, of: number): string {
  return value === null ? "–" : `${value.toFixed(3)}× of ${of}`;
}

/** Lists as many faults as fit into `room` characters, and the number of the remaining ones. */
function refusalPart(refusals: readonly Refusal[], room: number): string {
  const lines = refusals.flatMap(({ path, faults }) => [
    `\n${path === null ? "Nothing was evaluated:" : `${codeSpan(path, 150)} was not evaluated:`}\n`,
    ...faults.map(faultLine),
  ]);
  const shown: string[] = [];
  let length = 0;
  for (const line of lines) {
    if ((length += line.length + 1) > room - 300) break;
    shown.push(line);
  }
  const left = lines.length - shown.length;
  const more = left > 0 ? `\n…and ${left} more; \`kernelbot kernelbench validate FILE\` shows all of them.` : "";
  const advice = "Push a corrected file; then a maintainer can add the label again.";
  return `${shown.join("\n").trim()}${more}\n\n${advice}`;
}

function faultLine({ key, severity, what }: KernelBenchEntryFault): string {
  const where = key === null ? "" : `${codeSpan(key)}: `;
  return `- ${severity === "warning" ? "warning: " : ""}${where}${codeSpan(what, 300)}`;
}

/** Returns the commit status, which branch protection reads. */
export function statusOf(
  pull: CommentState,
  followed: readonly EntryStatus[],
  hasComment: boolean,
): { state: CommitState; description: string } {
  const where = hasComment ? "see the comment" : "GitHub rejected the comment that lists them";
  switch (pull.state) {
    case "waiting":
      return { state: "pending", description: "Waiting for a maintainer to add the label evaluate" };
    case "refused":
      return { state: "failure", description: `The submission has errors; ${where}` };
    case "failed":
      return {
        state: "error",
        description: `KernelBot cannot continue; ${hasComment ? "see the comment" : "GitHub rejected the comment with the reason"}`,
      };
    case "evaluating":
      return { state: "pending", description: "Evaluating kernels" };
    case "closed":
      return { state: "failure", description: "Closed without being merged" };
    case "evaluated":
    case "merged":
      return finalStatus(followed);
  }
}

function finalStatus(all: readonly EntryStatus[]): { state: CommitState; description: string } {
  const followed = all.filter(({ row }) => row.is_merged !== false);
  const lost = followed.reduce((sum, { entry }) => sum + entry.progress.lost, 0);
  if (lost > 0)
    return { state: "error", description: `Infrastructure errors: ${lost} kernels not evaluated; add the label again` };
  if (followed.length === 0) return { state: "failure", description: "The merged files were not evaluated" };
  const correct = followed.map(({ entry }) => share(entry.score.overall.correct)).join(", ");
  return { state: "success", description: `Correct: ${correct}`.slice(0, MAX_DESCRIPTION) };
}
