/** Output to a terminal, a file or a pipe. */
import type { WriteStream } from "node:tty";
import { makeStyle, type Style } from "./style.ts";
import { fit } from "./text.ts";

export interface Terminal {
  style: Style;
  /** Width in columns; Infinity when the output is not a terminal or its width is unknown: some terminals report 0. */
  width: number;
  /** Whether lines can be redrawn. */
  live: boolean;
  /** Prints each text as exactly one line. */
  print: (lines: readonly string[]) => void;
}

/**
 * Returns the capabilities of a stream. `NO_COLOR` (no-color.org) disables colours; `TERM=dumb` also disables
 * redrawing.
 */
export function terminalOf(stream: WriteStream, env: NodeJS.ProcessEnv = process.env): Terminal {
  const live = stream.isTTY && env.TERM !== "dumb";
  return {
    style: makeStyle(live && !env.NO_COLOR),
    width: stream.isTTY ? knownOr(stream.columns, Infinity) : Infinity,
    live,
    print: (lines) => stream.write(lines.map((line) => `${asOneLine(line)}\n`).join("")),
  };
}

/** Returns the reported number of columns or rows, or `otherwise` when the terminal reports none. */
function knownOr(reported: number | undefined, otherwise: number): number {
  return reported === undefined || reported <= 0 ? otherwise : reported;
}

function asOneLine(line: string): string {
  return line.replace(/\n/g, " ").replace(/\t/g, "    ");
}

/** Block of lines that is redrawn in place; later output follows it. */
export class LiveBlock {
  readonly #stream: WriteStream;
  #height = 0;

  constructor(stream: WriteStream) {
    this.#stream = stream;
  }

  /** Clears the block. */
  clear(): void {
    this.draw([]);
  }

  /** Draws the lines in one write, which avoids flicker; lines that exceed the terminal's size are cut. */
  draw(lines: readonly string[]): void {
    // Wrapped lines would break the cursor movement, so a terminal of unknown size is treated as 80×24.
    const columns = knownOr(this.#stream.columns, 80);
    const rows = knownOr(this.#stream.rows, 24);
    const shown = lines.slice(0, Math.max(1, rows - 1)).map((line) => fit(asOneLine(line), columns - 1));
    const back = this.#height === 0 ? "" : `\x1b[${this.#height}F`;
    this.#stream.write(`${back}${shown.map((line) => `${line}\x1b[K\n`).join("")}\x1b[J`);
    this.#height = shown.length;
  }
}
