/** Simulated runners in separate processes, which can be killed. */
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Order, Start } from "./process.ts";
import type { Measured, Pace } from "./runner.ts";

export interface FleetProcess extends AsyncDisposable {
  setPace(pace: Pace): void;
  /** Returns the measurements since the last call. */
  measure(): Promise<Measured>;
  /** Kills the process with SIGKILL, like a power failure. */
  kill(): Promise<void>;
}

export function startFleet(start: Omit<Start, "type">): FleetProcess {
  const child: ChildProcess = fork(join(import.meta.dirname, "process.ts"));
  const order = (what: Order): void => void child.send(what);
  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  };
  order({ type: "start", ...start });
  return {
    setPace: (pace) => order({ type: "pace", pace }),
    async measure() {
      const answered = once(child, "message") as Promise<[Measured]>;
      order({ type: "measure" });
      const [measured] = await answered;
      return measured;
    },
    kill,
    [Symbol.asyncDispose]: kill,
  };
}

/** Returns names and targets of `count` runners, distributed evenly over the targets. */
export function runnersOn(targets: readonly string[], count: number, prefix: string): Start["runners"] {
  return Array.from({ length: count }, (_, n) => ({
    name: `${prefix}-${n}`,
    target: targets[n % targets.length] as string,
  }));
}
