/** Limits how long a command waits while no runner can take the runs that it waits for. */
import { setTimeout as sleep } from "node:timers/promises";
import { UsageError } from "../command/exit.ts";

const DEFAULT_MIN = "10";

/** Interval in ms at which runners and queue positions are polled, since event streams do not contain them. */
export const QUEUE_POLL_MS = 2000;

/** Option of the commands that wait for runs. */
export const RUNNER_TIMEOUT_OPTION = {
  "runner-timeout": {
    type: "string",
    value: "MIN",
    default: DEFAULT_MIN,
    help: "Minutes to wait while no runner is connected; none for no limit",
  },
} as const;

/** Parses the value of the option: minutes, or `none`. @returns milliseconds. */
export function runnerTimeoutMs(text: string): number {
  if (text === "none") return Infinity;
  const minutes = Number(text);
  if (!/^\d+(\.\d+)?$/.test(text) || minutes <= 0) {
    throw new UsageError(`--runner-timeout: ${JSON.stringify(text)} is not a number of minutes above 0, or none`);
  }
  return minutes * 60_000;
}

/** The time since which no runner can take the runs, compared with the limit. */
export class RunnerWait {
  readonly #limitMs: number;
  #since: number | null = null;

  constructor(limitMs: number) {
    this.#limitMs = limitMs;
  }

  /** Records whether runs are stranded now; the limit starts over after a runner was connected. */
  record(isStranded: boolean): void {
    this.#since = isStranded ? (this.#since ?? Date.now()) : null;
  }

  /** When the command gives up, in ms since 1970; null while a runner can take the runs, and without a limit. */
  get givesUpAtMs(): number | null {
    const at = (this.#since ?? Infinity) + this.#limitMs;
    return Number.isFinite(at) ? at : null;
  }

  get isOver(): boolean {
    return Date.now() >= (this.givesUpAtMs ?? Infinity);
  }

  /**
   * Waits for the interval, or until the command gives up if that is earlier.
   * @returns false if the signal was aborted.
   */
  async sleep(intervalMs: number, signal: AbortSignal): Promise<boolean> {
    const leftMs = Math.max(0, (this.givesUpAtMs ?? Infinity) - Date.now());
    try {
      await sleep(Math.min(intervalMs, leftMs), undefined, { signal });
      return true;
    } catch {
      return false;
    }
  }

  /** Formats the limit for a message: `10 min`. */
  get limit(): string {
    return `${this.#limitMs / 60_000} min`;
  }
}
