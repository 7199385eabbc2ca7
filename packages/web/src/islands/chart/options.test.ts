import uPlot from "uplot";
import { expect, test } from "vitest";
import type { Chart } from "../../chart/data.ts";
import { TONES } from "../../chart/data.ts";
import type { Colours } from "./colours.ts";
import { options } from "./options.ts";

const colours: Colours = {
  tones: Object.fromEntries(TONES.map((tone) => [tone, "#000"])) as Colours["tones"],
  text: "#000",
  grid: "#000",
  font: "12px sans-serif",
};

test("a chart of a single moment shows the minutes around it, and its point", () => {
  const at = Date.parse("2026-03-01T12:00:00Z");
  const chart: Chart = {
    title: "Best runtime over time",
    summary: "",
    xs: "time",
    unit: "ns",
    series: [{ label: "Record", kind: "step", tone: "record", points: [[at, 1000]] }],
  };
  const { scales, series } = options(uPlot, chart, colours);
  const range = scales?.["x"]?.range;
  const plot = { data: [[at], [1000]] } as unknown as uPlot;
  // What uPlot proposes for a single position.
  expect(typeof range === "function" && range(plot, 0, 2 * at, "x")).toEqual([at - 60_000, at + 60_000]);
  expect(series[1]?.points?.show).toBe(true);
});
