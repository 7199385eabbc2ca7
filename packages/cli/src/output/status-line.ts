/** Status line that is redrawn in a terminal; elsewhere one line per event. */
import { formatElapsed } from "@kernelbot/core/units";
import { LiveBlock, terminalOf } from "./terminal.ts";

interface StatusLine {
  /** Shows the line in a terminal and redraws it every second until it is replaced. */
  show: (line: () => string) => void;
  /** Shows a step of work with the time since it began; outside of a terminal, prints a line on standard error. */
  step: (line: string) => void;
  /** Whether every event is printed. */
  logsEvents: boolean;
  /** Prints an event. A terminal prints it only when `isWarning` is true. */
  log: (line: string, isWarning?: boolean) => void;
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
    const log = (line: string) => {
      if (!json) print([line]);
    };
    const step = (line: string) => console.error(line);
    return { show: () => undefined, step, logsEvents: !json, log, end: () => undefined };
  }
  const block = new LiveBlock(stream);
  let latest: (() => string) | undefined;
  const draw = () => {
    if (latest !== undefined) block.draw([latest()]);
  };
  const timer = setInterval(draw, TICK_MS).unref();
  const show = (line: () => string) => {
    latest = line;
    draw();
  };
  return {
    show,
    step: (line) => {
      const begunMs = performance.now();
      show(() => `${line}, ${formatElapsed(performance.now() - begunMs)}`);
    },
    logsEvents: false,
    log: (line, isWarning = false) => {
      if (!isWarning) return;
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
