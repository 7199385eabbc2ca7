/** What goes on, in one line that is redrawn in a terminal; elsewhere a line for each thing that happened. */
import { LiveBlock, terminalOf } from "./terminal.ts";

export interface StatusLine {
  /** Shows the line in a terminal, and again each second until another one comes. */
  show: (line: () => string) => void;
  /** Whether each thing that happened is told. */
  tells: boolean;
  /** A thing that happened; a terminal shows it only where it asks for a look. */
  tell: (line: string, look?: boolean) => void;
  end: () => void;
}

const TICK_MS = 1000;

/** On the standard error where the standard output is for a JSON document, and there only for a person. */
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
