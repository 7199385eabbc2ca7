/** Status line that is redrawn in a terminal; elsewhere one line per event. */
import { LiveBlock, terminalOf } from "./terminal.ts";

export interface StatusLine {
  /** Shows the line in a terminal and redraws it every second until it is replaced. */
  show: (line: () => string) => void;
  /** Whether every event is printed. */
  tells: boolean;
  /** Reports an event. A terminal shows it only when `look` is true. */
  tell: (line: string, look?: boolean) => void;
  end: () => void;
}

const TICK_MS = 1000;

/**
 * Opens a status line. If standard output is reserved for a JSON document, it is on standard error, and only in a
 * terminal.
 */
export function openStatusLine(json: boolean): StatusLine {
  const stream = json ? process.stderr : process.stdout;
  const { live, print } = terminalOf(stream);
  if (!live) {
    const tell = (line: string) => {
      if (!json) print([line]);
    };
    return { show: () => undefined, tells: !json, tell, end: () => undefined };
  }
  const block = new LiveBlock(stream);
  let latest: (() => string) | undefined;
  const draw = () => {
    if (latest !== undefined) block.draw([latest()]);
  };
  const timer = setInterval(draw, TICK_MS).unref();
  return {
    show: (line) => {
      latest = line;
      draw();
    },
    tells: false,
    tell: (line, look = false) => {
      if (!look) return;
      block.clear();
      print([line]);
      draw();
    },
    end: () => {
      clearInterval(timer);
      block.clear();
    },
  };
}
