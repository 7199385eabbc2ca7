/** What the owner of a submission is told while it runs, and the report at its end. Pure functions of what is stored. */
import {
  formatTiming,
  isFinished,
  runReport,
  STAGES_OF_MODE,
  verdictWords,
  waitWords,
  type RunDetail,
  type RunSummary,
  type Submission,
} from "@kernelbot/core";
import { code, fenced, plain, title } from "./escape.ts";
import { MAX_CONTENT, type Message } from "./protocol.ts";

/** Letters for all sentences of a message, each of which may take an escape; the rest is in the report. */
const ROOM = 700;

/** @param place Where the report is: its channel; null while there is none. */
export function progressOf(submission: Submission, publicUrl: string, place: string | null): string {
  const { id, fileName, board, mode } = submission;
  const runs = askedRuns(submission);
  return [
    `# Submission **${id}**: ${code(fileName, 60)} for ${code(board)}`,
    ...runs.flatMap((run) => runLines(run, mode, Math.floor(ROOM / runs.length))),
    ...(isFinished(submission) && place !== null ? [`The report is in <#${place}>.`] : []),
    `<${publicUrl}/submissions/${id}>`,
  ].join("\n");
}

/** Those that were asked for; of re-runs by moderators their owner reads on the site. */
export function askedRuns({ runs }: Submission): RunSummary[] {
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

function stateOf({ state, queuePosition, expectedWaitMs, attempt, verdict, failureClass, score }: RunSummary): string {
  switch (state) {
    case "queued": {
      const again = attempt > 0 ? " again" : "";
      const place = queuePosition === null ? "" : `, number ${queuePosition} in line`;
      return `⏳ queued${again}${place}${expectedWaitMs === null ? "" : `, expected wait ${waitWords(expectedWaitMs)}`}`;
    }
    case "running":
      return "⚙️ running";
    case "cancelled":
      return "🚫 cancelled";
    case "done": {
      const time = score === null ? "" : `: ${formatTiming(score.timeNs)}`;
      return `${markOf(verdict)} ${verdict === null ? state : verdictWords(verdict, failureClass)}${time}`;
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
  const runs = askedRuns(submission);
  const verdicts = runs.map(({ verdict }) => verdict);
  const worst = verdicts.find((verdict) => verdict === "failed") ?? verdicts.find((verdict) => verdict !== "passed");
  const mark = !isFinished(submission) ? "⏳" : markOf(worst === undefined ? "passed" : worst);
  const targets = runs.map(({ target }) => target).join(", ");
  return title(`${mark} #${submission.id} ${title(submission.fileName, 50)} on ${targets}`);
}

/** Whether a name is one that the thread of a submission ever has. */
export function isThreadOf({ id }: Submission, name: string): boolean {
  return name.split(" ")[1] === `#${id}`;
}

/** The report of a run: as a message, or where it is too long for one, as a file. */
export function reportOf(run: RunDetail): Message {
  const report = runReport(run);
  const content = fenced(report);
  if (content.length <= MAX_CONTENT) return { content };
  const [head = ""] = report.split("\n");
  return { content: fenced(head.slice(0, 500)), files: [{ name: `report-${run.target}.txt`, data: `${report}\n` }] };
}
