/** Texts of a pull request's comment and commit status: pure functions of the stored state. */
import type {
  KernelBenchEntryFault,
  KernelBenchScore,
  KernelBenchEntrySummary,
  KernelBenchFigures,
  Fraction,
} from "@kernelbot/core";
import { code } from "./escape.ts";
import { isFinished } from "./evaluation.ts";
import type { Refusal } from "./files.ts";
import type { CommitState } from "./github.ts";
import type { PullRow } from "./queue.ts";
import type { Followed } from "./rows.ts";

/** Marker at the start of the comment, invisible when rendered. */
export const MARK = "<!-- kernelbot:kernelbench -->";

/** GitHub accepts 65,536 characters. */
const MAX_COMMENT = 60_000;
/** GitHub accepts 140 characters. */
const MAX_DESCRIPTION = 140;

export type Said = Pick<PullRow, "state" | "notice" | "refusals" | "labelled_by">;

export function commentOf(pull: Said, followed: readonly Followed[], publicUrl: string): string {
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

function entryPart({ state }: Said, { row, entry, isStopped }: Followed, publicUrl: string): string {
  const { metadata, suite, suiteVersion, target, id } = entry;
  const page = `${publicUrl}/kernelbench/entries/${id}`;
  const link = `[entry ${id}](${page})`;
  const by = metadata.organization === "" ? "" : ` (${code(metadata.organization)})`;
  const head = `**${code(row.path, 120)}** at ${code(row.head_sha.slice(0, 10))}: ${code(metadata.display_name)}${by} on ${code(target)}, suite ${code(suite)} in version ${code(suiteVersion.slice(0, 12))}`;
  return join([
    head,
    progressLine(state, { entry, isStopped }),
    isFinished(entry) ? scoreTable(entry, page) : "",
    outcome({ row, entry, isStopped }, link),
  ]);
}

function progressLine(state: Said["state"], { entry, isStopped }: Pick<Followed, "entry" | "isStopped">): string {
  const { waiting, queued, running, done, lost } = entry.progress;
  const all = waiting + queued + running + done + lost;
  if (isFinished(entry)) {
    return lost === 0
      ? ""
      : `Lost to the infrastructure: ${lost} of ${all} kernels, which is nobody's fault here. Given the label again, they are evaluated.`;
  }
  if (isStopped || state !== "evaluating") return `Its evaluation was stopped with ${done} of ${all} kernels judged.`;
  const ways = [`${done} of ${all} kernels judged`, `${running} running`, `${queued} queued`, `${waiting} waiting`];
  return `Under evaluation: ${ways.join(", ")}${lost > 0 ? `, ${lost} lost` : ""}.`;
}

function outcome({ row, entry, isStopped }: Followed, link: string): string {
  if (entry.publishedAt !== null) return `**Published**: ${link}`;
  if (isStopped) return `It is not published while its evaluation is stopped: ${link}`;
  if (row.is_merged === false) return "It is not published: what was merged is not what was evaluated.";
  return `It is published when it is merged with this content: ${link}`;
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
      "GeoMean speed-up of the correct",
      columns.map(({ geoMean, geoMeanOf }) => mean(geoMean, geoMeanOf)),
    ),
    row(
      "Robust GeoMean of all, unsolved as 1×",
      robust.map(({ geoMeanOfAll, problems }) => mean(geoMeanOfAll, problems)),
    ),
  ].join("\n");
  const more = compiledBaseline ? ` [Against the compiled model](${page}?baseline=compiled), timed beside it.` : "";
  return `${table}\n\n${provenance(score)}${more}`;
}

function provenance({ baseline, evaluators, hardware, robust }: KernelBenchScore): string {
  const against = {
    eager: "the eager model in the same session",
    compiled: "the compiled model in the same session",
    stored: "a stored baseline",
  }[baseline.kind];
  const left = `The robust figures leave out ${robust.degenerate} problems that say nothing, and count ${robust.belowFloor} kernels as unsolved that are faster than the hardware allows.`;
  return `Against ${against}; on ${list(hardware)}, judged by version ${list(evaluators)}. ${left}`;
}

function list(texts: readonly string[]): string {
  return texts.length === 0
    ? "(none)"
    : texts
        .slice(0, 5)
        .map((text) => code(text))
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
    `\n${path === null ? "Nothing is evaluated:" : `${code(path, 150)} is not evaluated:`}\n`,
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
  const advice = "Push what is right; then a maintainer gives the label again.";
  return `${shown.join("\n").trim()}${more}\n\n${advice}`;
}

function faultLine({ key, severity, what }: KernelBenchEntryFault): string {
  const where = key === null ? "" : `${code(key)}: `;
  return `- ${severity === "warning" ? "warning: " : ""}${where}${code(what, 300)}`;
}

/** Returns the commit status, which branch protection reads. */
export function statusOf(
  pull: Said,
  followed: readonly Followed[],
  hasComment: boolean,
): { state: CommitState; description: string } {
  const where = hasComment ? "the comment names them" : "GitHub refused the comment that names them";
  switch (pull.state) {
    case "waiting":
      return { state: "pending", description: "Waits for a maintainer to give the label evaluate" };
    case "refused":
      return { state: "failure", description: `The submission has faults; ${where}` };
    case "failed":
      return {
        state: "error",
        description: `KernelBot cannot continue; ${hasComment ? "the comment says" : "GitHub refused the comment that says"} why`,
      };
    case "evaluating":
      return { state: "pending", description: "Its kernels are being evaluated" };
    case "closed":
      return { state: "failure", description: "Closed without being merged" };
    case "evaluated":
    case "merged":
      return ended(followed);
  }
}

function ended(all: readonly Followed[]): { state: CommitState; description: string } {
  const followed = all.filter(({ row }) => row.is_merged !== false);
  const lost = followed.reduce((sum, { entry }) => sum + entry.progress.lost, 0);
  if (lost > 0)
    return { state: "error", description: `Kernels lost to the infrastructure: ${lost}; give the label again` };
  if (followed.length === 0) return { state: "failure", description: "What was merged was not evaluated" };
  const correct = followed.map(({ entry }) => share(entry.score.overall.correct)).join(", ");
  return { state: "success", description: `Correct: ${correct}`.slice(0, MAX_DESCRIPTION) };
}
