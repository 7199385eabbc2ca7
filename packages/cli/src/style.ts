/** How marks are shown: in colour where a person looks at a terminal, else as they are. */
export type Style = Record<keyof typeof CODES, (text: string) => string>;

/** SGR codes that set and end each mark. */
const CODES = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
} as const;

/** Marks in colour, or none at all. */
export function makeStyle(colours: boolean): Style {
  const mark = ([on, off]: readonly [number, number]) =>
    colours ? (text: string) => `\x1b[${on}m${text}\x1b[${off}m` : (text: string) => text;
  return {
    bold: mark(CODES.bold),
    dim: mark(CODES.dim),
    red: mark(CODES.red),
    green: mark(CODES.green),
    yellow: mark(CODES.yellow),
    cyan: mark(CODES.cyan),
  };
}

/** No marks: what is written to files, pipes and tests. */
export const PLAIN = makeStyle(false);
