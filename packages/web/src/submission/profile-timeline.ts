/** Server-rendered timeline of a profile: a row for each stream and thread, with contained calls below their callers. */
import { formatNs, type ProfileSummary, type TimelineBar, type TimelineRow } from "@kernelbot/core";
import { html, piece, type Html } from "../html.ts";

/** Sizes in units of the viewBox, which are about a pixel on wide screens. */
const WIDTH = 1000;
const BAR_HEIGHT = 16;
const LABEL_HEIGHT = 20;
const AXIS_HEIGHT = 20;
const ROW_GAP = 8;
/** Minimum width of a bar, so that it is visible. */
const MIN_WIDTH = 1;
const CHARACTER_WIDTH = 6.8;
const TEXT_PADDING = 4;
/** Number of intervals of the axis. */
const TICKS = 4;

const TONES = ["tone-one", "tone-two", "tone-three", "tone-four", "tone-five"];

/** Returns the class with the colour of an operation: one each for the first five of the table, and a common one. */
export function operationTone(rank: number | null): string {
  return (rank === null ? undefined : TONES[rank]) ?? "tone-quiet";
}

export function timelineChart({ timeline }: ProfileSummary, title: string): Html {
  const { rows, durationUs, moreRows } = timeline;
  let height = 0;
  const placed = rows.map((row) => {
    const top = height;
    const levels = 1 + Math.max(...row.bars.map(({ depth }) => depth), 0);
    height += LABEL_HEIGHT + levels * BAR_HEIGHT + ROW_GAP;
    return { row, top };
  });
  const ticks = Array.from({ length: TICKS + 1 }, (_, at) => at / TICKS);
  return html`<div class="figure-scroll" tabindex="0" role="region" aria-label="Timeline of ${title}">
      <svg
        class="trace-timeline"
        viewBox="0 0 ${WIDTH} ${height + AXIS_HEIGHT}"
        role="img"
        aria-label="The longest calls of ${title} over ${formatNs(1000 * durationUs)}"
      >
        ${ticks.map((tick) => piece`<path class="grid" d="M${tick * WIDTH} 0V${height}"></path>`)}
        ${placed.map(({ row, top }) => timelineRow(row, top, durationUs))}
        ${ticks.map((tick) => piece`<text x="${tick * WIDTH}" y="${height + 14}" class="${anchor(tick)}">${tick === 0 ? "0" : formatNs(1000 * tick * durationUs)}</text>`)}
      </svg>
    </div>
    ${moreRows === 0 ? null : html`<p>and ${moreRows.toLocaleString("en-US")} more threads and streams</p>`}`;
}

function anchor(tick: number): string {
  return tick === 0 ? "first" : tick === 1 ? "last" : "";
}

function timelineRow({ label, bars }: TimelineRow, top: number, durationUs: number): Html {
  return html`<text x="0" y="${top + 14}" class="first">${label}</text>
    ${bars.map((bar) => timelineBar(bar, top + LABEL_HEIGHT, durationUs))}`;
}

function timelineBar(bar: TimelineBar, top: number, timelineUs: number): Html {
  const scale = timelineUs === 0 ? 0 : WIDTH / timelineUs;
  const width = Math.max(MIN_WIDTH, bar.durationUs * scale);
  const x = Math.min(bar.startUs * scale, WIDTH - width);
  const y = top + bar.depth * BAR_HEIGHT;
  const name = bar.name ?? `${bar.calls.toLocaleString("en-US")} short calls`;
  // Templates of kernels begin with `void`, which would fill narrow bars.
  const text = fitting(name.replace(/^void /, ""), width);
  const tooltip = `${name}: ${formatNs(1000 * bar.durationUs)}, from ${formatNs(1000 * bar.startUs)}`;
  return piece`<g class="${operationTone(bar.rank)}"><title>${tooltip}</title><rect x="${x.toFixed(1)}" y="${y}" width="${width.toFixed(1)}" height="${BAR_HEIGHT - 1}"></rect>${text === null ? null : piece`<text x="${(x + TEXT_PADDING).toFixed(1)}" y="${y + 12}" class="first">${text}</text>`}</g>`;
}

/** Shortens a name to a width; null where less than four characters fit. */
function fitting(name: string, width: number): string | null {
  const most = Math.floor((width - 2 * TEXT_PADDING) / CHARACTER_WIDTH);
  if (name.length <= most) return name;
  return most < 4 ? null : `${name.slice(0, most - 1).toWellFormed()}…`;
}
