import { rankKey, type BoardHistory } from "@kernelbot/core";
import type { Picture } from "../preview/picture.ts";

/** Number of the newest records in a picture. */
const DRAWN = 20;
/** Share of the width that the records take; the rest shows that the last one still stands. */
const WIDTH = 0.9;

/** Returns the line of a board's picture: its newest records by time, and by the logarithm of their runtimes or speedups; empty below two. */
export function trendOf({ records }: Pick<BoardHistory, "records">): Picture["trend"] {
  const points = records.slice(-DRAWN).map((record) => {
    const { value } = rankKey(record);
    const isRatio = record.rankedBy === undefined || record.rankedBy.ranking === "speedup";
    return {
      at: Date.parse(record.submittedAt),
      value: isRatio ? Math.sign(value) * Math.log(Math.abs(value)) : value,
    };
  });
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined || points.length < 2) return [];
  const share = (part: number, whole: number) => (whole === 0 ? 0 : Math.min(1, Math.max(0, part / whole)));
  return points.map(({ at, value }) => [
    WIDTH * share(at - first.at, last.at - first.at),
    share(first.value - value, first.value - last.value),
  ]);
}
