/** Chart of a best time over time, drawn with characters. */
import { formatNs } from "@kernelbot/core";
import { columnsOf, pad } from "../output/text.ts";
import { moment } from "./format.ts";

export interface Step {
  at: string;
  ns: number;
}

const HEIGHT = 8;
const WIDTH = 64;

/**
 * Draws decreasing steps over time on a logarithmic axis; empty with fewer than two steps. Each step is a ● followed by
 * a horizontal line to the next step.
 */
export function stepChart(steps: readonly Step[], width: number): string[] {
  const [first, last] = [steps[0], steps.at(-1)];
  if (first === undefined || last === undefined || steps.length < 2) return [];
  const [highest, lowest] = [Math.log(first.ns), Math.log(last.ns)];
  const labels = [formatNs(first.ns), formatNs(last.ns)];
  const margin = Math.max(...labels.map(columnsOf));
  const columns = Math.max(8, Math.min(WIDTH, width - margin - 2));
  const [from, to] = [Date.parse(first.at), Date.parse(last.at)];
  const places = steps.map(({ at, ns }) => ({
    column: to > from ? Math.round(((Date.parse(at) - from) / (to - from)) * (columns - 1)) : 0,
    row: highest > lowest ? Math.round(((highest - Math.log(ns)) / (highest - lowest)) * (HEIGHT - 1)) : 0,
  }));
  const grid = Array.from({ length: HEIGHT }, () => Array.from({ length: columns }, () => " "));
  for (const [at, { column, row }] of places.entries()) {
    const end = places[at + 1]?.column ?? columns - 1;
    for (let x = column; x <= end; x += 1) (grid[row] as string[])[x] = "─";
  }
  for (const { column, row } of places) (grid[row] as string[])[column] = "●";
  const axis = pad(moment(first.at), Math.max(0, columns - columnsOf(moment(last.at)))) + moment(last.at);
  return [
    ...grid.map((cells, row) => {
      const label = row === 0 ? labels[0] : row === HEIGHT - 1 ? labels[1] : "";
      return `${pad(label ?? "", margin, "right")}  ${cells.join("")}`.trimEnd();
    }),
    `${" ".repeat(margin)}  ${axis}`,
  ];
}
