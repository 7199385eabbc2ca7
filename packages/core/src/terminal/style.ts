/** Text styles: coloured in a terminal, else plain. */
export type Style = Record<keyof typeof CODES, (text: string) => string>;

/** SGR codes that start and end each style. */
const CODES = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
} as const;

/** Returns the styles, with or without colours. */
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

/** Plain style for files, pipes and tests. */
export const PLAIN = makeStyle(false);

/** Formats a mark: ✓ passed, ✗ failed, · not run. */
export function tick(passed: boolean | null, style: Style): string {
  return passed === null ? style.dim("·") : passed ? style.green("✓") : style.red("✗");
}
