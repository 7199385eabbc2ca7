/** Server-rendered calendar of a year: one column for each week, one square for each day, darker the more happened. */
import type { ActiveWeek } from "@kernelbot/core";
import { piece, type Html } from "../html.ts";

interface Calendar {
  /** Description of the calendar in words. */
  summary: string;
  /** Weeks from left to right. */
  weeks: readonly ActiveWeek[];
}

const STEP = 10;
const SIDE = 8;
const DAY_MS = 86_400_000;
/** Shades above none. */
const SHADES = 4;

export function calendar({ summary, weeks }: Calendar): Html {
  const most = Math.max(1, ...weeks.flatMap(({ days }) => days));
  return piece`<figure class="calendar"><figcaption>${summary}</figcaption>
<svg viewBox="0 0 ${weeks.length * STEP} ${7 * STEP}" aria-hidden="true">${weeks.map(({ monday, days }, column) =>
    days.map((submissions, row) => {
      const day = new Date(Date.parse(monday) + row * DAY_MS).toISOString().slice(0, 10);
      const shade = Math.ceil((submissions / most) * SHADES);
      return piece`<rect class="shade-${shade}" x="${column * STEP}" y="${row * STEP}" width="${SIDE}" height="${SIDE}"><title>${day}: ${submissions}</title></rect>`;
    }),
  )}</svg>
<p class="axis-ends" aria-hidden="true"><span>${weeks[0]?.monday ?? ""}</span><span>this week</span></p></figure>`;
}
