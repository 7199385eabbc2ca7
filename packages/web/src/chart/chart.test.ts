import { expect, test } from "vitest";
import { align } from "./align.ts";
import { chart } from "./chart.ts";
import type { Chart, ChartSeries } from "./data.ts";
import { HOSTILE } from "@kernelbot/testing/web/examples.ts";

const RECORD: ChartSeries = {
  label: "Record",
  kind: "step",
  tone: "record",
  points: [
    [0, 400, "ada"],
    [50, 200, "bob"],
  ],
};
const LATER: ChartSeries = { label: "ada", kind: "points", tone: "one", points: [[100, 300]] };
const CHART: Chart = {
  title: "Best",
  summary: "From 400 ns to 200 ns.",
  xs: "number",
  unit: "ns",
  series: [RECORD, LATER],
};

async function drawn(data: Chart): Promise<string> {
  return String(await chart(data));
}

test("a step continues to the end of the chart, on a logarithmic scale", async () => {
  const [, path = ""] = /class="tone-record step" d="([^"]+)"/.exec(await drawn(CHART)) ?? [];
  expect(path).toMatch(/^M0\.0 [\d.]+H500\.0V[\d.]+H1000$/);
  const [top = 0, bottom = 0] = [...path.matchAll(/(?:M0\.0 |V)([\d.]+)/g)].map(([, y]) => Number(y));
  const middle = Number(/class="tone-one points" d="M1000\.0 ([\d.]+)h0"/.exec(await drawn(CHART))?.[1]);
  expect((middle - top) / (bottom - top)).toBeCloseTo(Math.log(4 / 3) / Math.log(2), 2);
});

test("a chart contains a description and the data for the island", async () => {
  const page = await drawn(CHART);
  expect(page).toContain("<title>Best</title>");
  expect(page).toContain("<desc>From 400 ns to 200 ns.</desc>");
  const json = /<script type="application\/json">([^]*)<\/script>/.exec(page)?.[1] ?? "";
  expect(JSON.parse(json)).toEqual(CHART);
});

test("a hidden series is only in the data, and does not affect the scale", async () => {
  const page = await drawn({ ...CHART, series: [RECORD, { ...LATER, points: [[100, 9e9]], isHidden: true }] });
  expect(page).not.toContain("tone-one");
  expect(page).toContain("9000000000");
  expect(page).not.toContain(" s</text>");
});

test("a chart without points is null", () => {
  expect(chart({ ...CHART, series: [{ ...RECORD, points: [] }] })).toBeNull();
});

test("user text cannot close the data or the SVG", async () => {
  const point = [0, 1, HOSTILE] as const;
  const page = await drawn({
    ...CHART,
    title: HOSTILE,
    summary: HOSTILE,
    series: [{ ...RECORD, label: HOSTILE, points: [point] }],
  });
  expect(page.match(/<script/g)).toHaveLength(1);
  expect(page.match(/<\/script/g)).toHaveLength(1);
  expect(page).not.toContain("<img");
});

test("points are aligned to one list of x values, with repeated values as often as in any series", () => {
  const two: ChartSeries["points"] = [
    [1, 10],
    [1, 11],
    [3, 12],
  ];
  expect(
    align([
      { kind: "points", points: two },
      { kind: "step", points: [[1, 20, "ada"]] },
    ]),
  ).toEqual({
    xs: [1, 1, 3],
    columns: [two, [[1, 20, "ada"], null, [3, 20, "ada"]]],
  });
});
