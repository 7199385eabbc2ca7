/** One-dimensional arrays in PostgreSQL's text format: `{cpu,"a b"}`. None of ours holds a null. */

export function formatArray(values: readonly (string | number)[]): string {
  return `{${values.map((value) => `"${String(value).replaceAll(/["\\]/g, "\\$&")}"`).join(",")}}`;
}

export function parseArray(text: string): string[] {
  const elements = text.slice(1, -1).matchAll(/"((?:[^"\\]|\\.)*)"|([^",]+)/gs);
  return Array.from(elements, ([, quoted, plain]) => quoted?.replaceAll(/\\(.)/gs, "$1") ?? plain ?? "");
}

/** Numbers stand without quotes, and boards have tens of thousands of them. */
export function parseNumbers(text: string): number[] {
  return text === "{}" ? [] : text.slice(1, -1).split(",").map(Number);
}
