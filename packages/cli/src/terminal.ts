/** Where lines go: a terminal that a person looks at, or a file or pipe. */
import type { WriteStream } from "node:tty";
import { makeStyle, type Style } from "./style.ts";
import { fit } from "./text.ts";

export interface Terminal {
  style: Style;
  /** Columns; endless where it is not a terminal, or one that does not know: some report 0. */
  width: number;
  /** Whether lines can be drawn anew. */
  live: boolean;
  /** Writes each line as exactly one line. */
  print: (lines: readonly string[]) => void;
}

/** What a stream can show. `NO_COLOR` (no-color.org) turns colours off, `TERM=dumb` also what is drawn anew. */
export function terminalOf(stream: WriteStream, env: NodeJS.ProcessEnv = process.env): Terminal {
  const live = stream.isTTY && env.TERM !== "dumb";
  return {
    style: makeStyle(live && !env.NO_COLOR),
    width: stream.isTTY ? knownOr(stream.columns, Infinity) : Infinity,
    live,
    print: (lines) => stream.write(lines.map((line) => `${asOneLine(line)}\n`).join("")),
  };
}

/** A number of columns or rows that a terminal reports; the other one where it reports none. */
function knownOr(reported: number | undefined, otherwise: number): number {
  return reported === undefined || reported <= 0 ? otherwise : reported;
}

function asOneLine(line: string): string {
  return line.replace(/\n/g, " ").replace(/\t/g, "    ");
}

/** Lines that are drawn over those drawn before; what is written afterwards follows them. */
export class LiveBlock {
  readonly #stream: WriteStream;
  #height = 0;

  constructor(stream: WriteStream) {
    this.#stream = stream;
  }

  /** Takes away what was drawn. */
  clear(): void {
    this.draw([]);
  }

  /** Draws the lines in one write, so that nothing flickers; what the terminal has no room for is cut. */
  draw(lines: readonly string[]): void {
    // Lines that wrap would spoil the way back, so a terminal that does not know is taken for a small one.
    const columns = knownOr(this.#stream.columns, 80);
    const rows = knownOr(this.#stream.rows, 24);
    const shown = lines.slice(0, Math.max(1, rows - 1)).map((line) => fit(asOneLine(line), columns - 1));
    const back = this.#height === 0 ? "" : `\x1b[${this.#height}F`;
    this.#stream.write(`${back}${shown.map((line) => `${line}\x1b[K\n`).join("")}\x1b[J`);
    this.#height = shown.length;
  }
}
