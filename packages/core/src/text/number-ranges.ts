/** Formats a list of numbers, with ranges for consecutive ones: `3, 7 to 12 and 50`. */
export function numberRanges(numbers: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const number of numbers.toSorted((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last !== undefined && number <= last[1] + 1) last[1] = number;
    else ranges.push([number, number]);
  }
  const words = ranges.flatMap(([from, to]) =>
    to - from >= 2 ? `${from} to ${to}` : Array.from(new Set([from, to]), String),
  );
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}
