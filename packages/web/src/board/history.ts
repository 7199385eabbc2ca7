/** Progress chart of a board: the record over time, the best times of some entrants, and all their submissions. */
import {
  entrantName,
  formatRankingValue,
  RANKING_NAMES,
  rankKey,
  type BoardHistory,
  type RankedResult,
} from "@kernelbot/core";
import { chart } from "../chart/chart.ts";
import type { ChartPoint, ChartSeries, ChartTone } from "../chart/data.ts";
import { uniqueLabels } from "../chart/labels.ts";
import { html, type Html } from "../html.ts";
import { count, moment } from "../layout/format.ts";

const TONES: readonly ChartTone[] = ["one", "two", "three", "four", "five"];
/** Number of entrants that have their own colour. */
export const CHARTED_ENTRANTS = TONES.length;

type Record = BoardHistory["records"][number];

/**
 * Renders the progress chart, in which the record lasts until `until` or the newest submission; null if the board has no
 * entries.
 */
export function progress(history: BoardHistory, until: Date): Html | null {
  const { records } = history;
  const [first] = records;
  if (first === undefined) return null;
  const [title, unit] =
    first.rankedBy === undefined
      ? (["Best runtime over time", "ns"] as const)
      : first.rankedBy.ranking === "speedup"
        ? (["Best speedup over time", "ratio"] as const)
        : (["Best score over time", "count"] as const);
  const data = { title, summary: summary(records), xs: "time", unit } as const;
  return chart({ ...data, series: series(history, until) }, "progress");
}

/** Maximum number of records in the table. The table precedes the entries, so a longer one would delay their rendering. */
const LISTED_RECORDS = 20;

/** Renders the newest records as a folded table; null without records. */
export function recordList({ board, target, records }: BoardHistory): Html | null {
  if (records.length === 0) return null;
  const before = records.length - LISTED_RECORDS;
  return html`<details id="records">
    <summary>${count(records.length, "record", "records")}</summary>
    ${recordTable(records)}
    ${
      before <= 0
        ? null
        : html`<p>
            <a href="/api/v1/boards/${board}/${target}/history"
              >${count(before, "older record", "older records")} (JSON)</a
            >
          </p>`
    }
  </details>`;
}

function series({ records, entrants }: BoardHistory, until: Date): ChartSeries[] {
  const submitted = entrants
    .flatMap(({ entrant, points }) => points.map((point): ChartPoint => [at(point), charted(point), entrant.name]))
    .toSorted(([a], [b]) => a - b);
  const labels = uniqueLabels(
    entrants.map(({ entrant }) => entrant.name),
    ["Record", "All submissions"],
  );
  return [
    {
      label: "Record",
      kind: "step",
      tone: "record",
      points: lastingUntil(
        Math.max(until.getTime(), submitted.at(-1)?.[0] ?? 0),
        records.map((record): ChartPoint => [at(record), charted(record), entrantName(record)]),
      ),
    },
    ...entrants.slice(0, CHARTED_ENTRANTS).map(({ points }, index): ChartSeries => ({
      label: labels[index] ?? "",
      kind: "step",
      tone: TONES[index] ?? "quiet",
      points: improvements(points).map((point): ChartPoint => [at(point), charted(point)]),
    })),
    { label: "All submissions", kind: "points", tone: "quiet", points: submitted },
  ];
}

/** Returns the points with one more at the end, which repeats the last value. */
function lastingUntil(end: number, points: ChartPoint[]): ChartPoint[] {
  const last = points.at(-1);
  return last === undefined || last[0] >= end ? points : [...points, [end, last[1], last[2] ?? ""]];
}

/** Returns the value that ranks a submission, for the chart. */
function charted({ timeNs, rankedBy }: RankedResult): number {
  return (rankedBy ?? timeNs).value;
}

/** Returns the submissions that were not worse than all before them. */
function improvements<Point extends RankedResult>(points: readonly Point[]): Point[] {
  let best = Infinity;
  return points.filter((point) => {
    const { value } = rankKey(point);
    if (value > best) return false;
    best = value;
    return true;
  });
}

function at({ submittedAt }: { submittedAt: string }): number {
  return Date.parse(submittedAt);
}

/** Returns the chart's summary, such as `From 12.3 µs on 1 March 2026 to 2.3 µs by ada on 5 May 2026, 7 records.` */
export function summary(records: readonly Record[]): string {
  const [first, last] = [records[0], records.at(-1)];
  if (first === undefined || last === undefined) return "";
  if (records.length === 1)
    return `${formatRankingValue(first)} by ${entrantName(first)} on ${day(first)}, the only record so far.`;
  return `From ${formatRankingValue(first)} on ${day(first)} to ${formatRankingValue(last)} by ${entrantName(last)} on ${day(last)}, ${count(records.length, "record", "records")}.`;
}

const DAY = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" });

function day({ submittedAt }: Record): string {
  return DAY.format(new Date(submittedAt));
}

function recordTable(records: readonly Record[]): Html {
  return html`<table>
    <thead>
      <tr>
        <th scope="col">Date</th>
        <th scope="col">Participant</th>
        <th scope="col" class="right">${RANKING_NAMES[records[0]?.rankedBy?.ranking ?? "time"]}</th>
        <th scope="col" class="right">Improvement</th>
      </tr>
    </thead>
    <tbody>
      ${newest(records).map(({ record, before }) => recordRow(record, before))}
    </tbody>
  </table>`;
}

/** Returns the newest records, newest first, each with the record that it beat. */
function newest(records: readonly Record[]): { record: Record; before: Record | undefined }[] {
  const first = Math.max(0, records.length - LISTED_RECORDS);
  return records
    .slice(first)
    .map((record, index) => ({ record, before: records[first + index - 1] }))
    .toReversed();
}

function recordRow(record: Record, before: Record | undefined): Html {
  // A SOL score can be 0, of which no percentage can be taken.
  const gain = before === undefined || charted(before) === 0 ? null : Math.abs(1 - charted(record) / charted(before));
  return html`<tr>
    <td>${moment(record.submittedAt)}</td>
    <th scope="row"><a href="/submissions/${record.submissionId}">${entrantName(record)}</a></th>
    <td class="right number">${formatRankingValue(record)}</td>
    <td class="right number">${gain === null ? "" : `${(gain * 100).toFixed(1)} %`}</td>
  </tr>`;
}
