/**
 * One-dimensional arrays in PostgreSQL's text format, such as `{cpu,"a b"}`. None of the project's arrays contains a
 * null.
 */

export function formatArray(values: readonly (string | number)[]): string {
  return `{${values.map((value) => `"${String(value).replaceAll(/["\\]/g, "\\$&")}"`).join(",")}}`;
}

export function parseArray(text: string): string[] {
  const elements = text.slice(1, -1).matchAll(/"((?:[^"\\]|\\.)*)"|([^",]+)/gs);
  return Array.from(elements, ([, quoted, plain]) => quoted?.replaceAll(/\\(.)/gs, "$1") ?? plain ?? "");
}

/** Parses an array of numbers. PostgreSQL never quotes numbers, and boards have tens of thousands of them. */
export function parseNumbers(text: string): number[] {
  return text === "{}" ? [] : text.slice(1, -1).split(",").map(Number);
}
