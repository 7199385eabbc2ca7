/** Formats the progress and the report of a submission: pure functions of the stored state. */
import {
  formatResult,
  isFinished,
  marksOf,
  runReport,
  STAGES_OF_MODE,
  formatVerdict,
  formatWait,
  formatWaitingTargets,
  type RunDetail,
  type RunSummary,
  type Submission,
} from "@kernelbot/core";
import { code, fenced, plain, title } from "./escape.ts";
import { MAX_CONTENT, type Message } from "./protocol.ts";

/** Characters for the messages of all runs; each may be escaped to twice that. The full text is in the report. */
const ROOM = 700;

/** Formats the progress message. @param place Channel of the report; null if there is none yet. */
export function formatProgress(submission: Submission, publicUrl: string, place: string | null, now: Date): string {
  const { id, fileName, board, mode } = submission;
  const runs = requestedRuns(submission);
  return [
    `# Submission **${id}**: ${code(fileName, 60)} for ${code(board)}`,
    ...runs.flatMap((run) => runLines(run, mode, Math.floor(ROOM / runs.length))),
    ...formatWaitingTargets(runs, now).map((sentence) => `> ${plain(sentence, ROOM)}`),
    ...(isFinished(submission) && place !== null ? [`The report is in <#${place}>.`] : []),
    `<${publicUrl}/submissions/${id}>`,
  ].join("\n");
}

/** Returns the runs of the original request, without reruns by moderators. */
export function requestedRuns({ runs }: Submission): RunSummary[] {
  return runs.filter(({ rerun }) => rerun === 0);
}

function runLines(run: RunSummary, mode: Submission["mode"], room: number): string[] {
  const head = `**${run.target}** ${stateOf(run)}`;
  switch (run.state) {
    case "queued":
    case "cancelled":
      return [head];
    case "running":
      return [head, `> ${stagesOf(run, mode)}`];
    case "done":
      return run.message === null ? [head] : [head, `> ${plain(run.message, room)}`];
  }
}

function stateOf(run: RunSummary): string {
  const { state, queuePosition, expectedWaitMs, attempt, verdict, failureClass, score } = run;
  switch (state) {
    case "queued": {
      const again = attempt > 0 ? " again" : "";
      const place = queuePosition === null ? "" : `, position ${queuePosition} in the queue`;
      return `⏳ queued${again}${place}${expectedWaitMs === null ? "" : `, expected wait ${formatWait(expectedWaitMs)}`}`;
    }
    case "running":
      return "⚙️ running";
    case "cancelled":
      return "🚫 cancelled";
    case "done": {
      const time =
        score === null ? "" : `: ${[formatResult(score), ...marksOf({ ...run, noisy: score.noisy })].join(", ")}`;
      return `${markOf(verdict)} ${verdict === null ? state : formatVerdict(verdict, failureClass)}${time}`;
    }
  }
}

function markOf(verdict: RunSummary["verdict"]): string {
  return verdict === "passed" ? "✅" : verdict === "failed" ? "❌" : "⚠️";
}

/** `✓ prepare · ▸ test · ranked` */
function stagesOf({ stage }: RunSummary, mode: Submission["mode"]): string {
  const stages: readonly string[] = STAGES_OF_MODE[mode];
  const now = stages.indexOf(stage ?? "");
  return stages.map((name, index) => (index < now ? `✓ ${name}` : index === now ? `▸ **${name}**` : name)).join(" · ");
}

/** `✅ #12 kernel.py on H100` */
export function threadName(submission: Submission): string {
  const runs = requestedRuns(submission);
  const verdicts = runs.map(({ verdict }) => verdict);
  const worst = verdicts.find((verdict) => verdict === "failed") ?? verdicts.find((verdict) => verdict !== "passed");
  const mark = !isFinished(submission) ? "⏳" : markOf(worst === undefined ? "passed" : worst);
  const targets = runs.map(({ target }) => target).join(", ");
  return title(`${mark} #${submission.id} ${title(submission.fileName, 50)} on ${targets}`);
}

/** Returns whether a thread name is one of those that the thread of a submission can have. */
export function isThreadOf({ id }: Submission, name: string): boolean {
  return name.split(" ")[1] === `#${id}`;
}

/** Returns the report of a run as a message; a report that is too long becomes a file. */
export function formatReport(run: RunDetail): Message {
  const report = runReport(run);
  const content = fenced(report);
  if (content.length <= MAX_CONTENT) return { content };
  const [head = ""] = report.split("\n");
  return { content: fenced(head.slice(0, 500)), files: [{ name: `report-${run.target}.txt`, data: `${report}\n` }] };
}
