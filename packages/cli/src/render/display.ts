/** Displays of progress. */
import type { LogEvent } from "@kernelbot/core";
import type { Progress } from "../progress/progress.ts";
import { eventLine } from "./event.ts";
import { headLine, noRunnerLines, progressBlock } from "./progress.ts";
import { PLAIN, type Style } from "../output/style.ts";
import { LiveBlock, terminalOf, type Terminal } from "../output/terminal.ts";

type ProgressEvent = Pick<LogEvent, "runId" | "event" | "at">;

export interface Display {
  /** Shows the progress after an event. */
  show: (progress: Progress, event?: ProgressEvent) => void;
  /** Closes the display: `ended` clears it for the result, `stopped` leaves the last state visible. */
  end: (progress: "ended" | "stopped") => void;
}

/** Minimum time between two redraws, and the interval at which elapsed times are updated, in ms. */
const REDRAW_MS = 100;
const TICK_MS = 1000;

/**
 * Opens a display: a redrawn block in a terminal, otherwise one line per event. If standard output is reserved for a
 * JSON document, the block is on standard error when that is a terminal, and otherwise nothing is shown.
 */
export function openDisplay(json: boolean): Display {
  const stream = json ? process.stderr : process.stdout;
  const terminal = terminalOf(stream);
  if (terminal.live) return liveDisplay(new LiveBlock(stream), terminal.style);
  return json ? { show: () => undefined, end: () => undefined } : lineDisplay(terminal);
}

function lineDisplay({ print }: Terminal): Display {
  let begun = false;
  /** Statuses of the targets at the last output; positions and ages change too often for a line each. */
  let statuses = "";
  return {
    show: (progress, event) => {
      if (!begun) print([headLine(progress, PLAIN)]);
      begun = true;
      const now = progress.runs.map(({ runners }) => runners?.status ?? "").join(" ");
      if (now !== statuses) print(noRunnerLines(progress, new Date()));
      statuses = now;
      const line = event === undefined ? null : eventLine(progress, event);
      if (line !== null) print([line]);
    },
    end: () => print([""]),
  };
}

function liveDisplay(block: LiveBlock, style: Style): Display {
  let latest: Progress | undefined;
  let drawnAt = 0;
  // Difference between the local clock and the clock of the events. Events arrive late, never early, so the minimum is
  // closest.
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
