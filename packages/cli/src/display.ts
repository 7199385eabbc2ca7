/** Shows progress while it happens. */
import type { LogEvent } from "@kernelbot/core";
import type { Progress } from "./progress.ts";
import { eventLine } from "./render/event.ts";
import { headLine, progressBlock } from "./render/progress.ts";
import { PLAIN, type Style } from "./style.ts";
import { LiveBlock, terminalOf, type Terminal } from "./terminal.ts";

export type ProgressEvent = Pick<LogEvent, "runId" | "event" | "at">;

export interface Display {
  /** Whether it shows more than events, such as places in the queue. */
  readonly live: boolean;
  /** Shows the progress, which is that after the event. */
  show: (progress: Progress, event?: ProgressEvent) => void;
  /** Stops: what ended makes room for how it came out, else the last state stays. */
  end: (progress: "ended" | "stopped") => void;
}

/** The least time between two drawings, and the time after which the clocks move on; ms. */
const REDRAW_MS = 100;
const TICK_MS = 1000;

/**
 * A block that is redrawn in a terminal, and lines elsewhere. Where the standard output is for a JSON document, a block on
 * the standard error if a person sees it, else nothing.
 */
export function openDisplay(json: boolean): Display {
  const stream = json ? process.stderr : process.stdout;
  const terminal = terminalOf(stream);
  if (terminal.live) return liveDisplay(new LiveBlock(stream), terminal.style);
  return json ? { live: false, show: () => undefined, end: () => undefined } : lineDisplay(terminal);
}

function lineDisplay({ print }: Terminal): Display {
  let begun = false;
  return {
    live: false,
    show: (progress, event) => {
      if (!begun) print([headLine(progress, PLAIN)]);
      begun = true;
      const line = event === undefined ? null : eventLine(progress, event);
      if (line !== null) print([line]);
    },
    end: () => print([""]),
  };
}

function liveDisplay(block: LiveBlock, style: Style): Display {
  let latest: Progress | undefined;
  let drawnAt = 0;
  // How far our clock is ahead of that of the events. Events arrive late, never early: the least difference is nearest.
  let aheadMs = Infinity;
  let timer: NodeJS.Timeout | undefined;

  const draw = () => {
    clearTimeout(timer);
    if (latest === undefined) return;
    drawnAt = Date.now();
    block.draw(progressBlock(latest, drawnAt - (Number.isFinite(aheadMs) ? aheadMs : 0), style));
    timer = setTimeout(draw, TICK_MS).unref();
  };
  return {
    live: true,
    show: (progress, event) => {
      latest = progress;
      if (event !== undefined) aheadMs = Math.min(aheadMs, Date.now() - Date.parse(event.at));
      clearTimeout(timer);
      timer = setTimeout(draw, Math.max(0, drawnAt + REDRAW_MS - Date.now()));
    },
    end: (how) => {
      if (how === "ended") block.clear();
      else draw();
      clearTimeout(timer);
    },
  };
}
