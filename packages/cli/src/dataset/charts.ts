/** Charts under a table, one per board. */
import { byBoard } from "@kernelbot/dataset";
import { stepChart, type Step } from "../render/step-chart.ts";
import type { Style } from "../output/style.ts";

/** Maximum number of boards for which charts are drawn; `--problem` and `--target` select fewer. */
const MOST_CHARTS = 3;

export function chartsOf(
  steps: readonly (Step & { problem: string; target: string })[],
  width: number,
  style: Style,
): string[] {
  const boards = byBoard(steps);
  if (boards.length > MOST_CHARTS) return [];
  return boards.flatMap(({ board, rows }) => {
    const chart = stepChart(rows, width);
    return chart.length === 0 ? [] : ["", `${style.bold(board.problem)} on ${style.bold(board.target)}`, ...chart];
  });
}
