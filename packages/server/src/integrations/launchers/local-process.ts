/** Launcher of processes on the server's own machine, which run only while there is work. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { hostname } from "node:os";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { childEnvironment } from "@kernelbot/tester/child-environment";
import { defineKind, targetOf } from "./kind.ts";
import {
  Refused,
  runnerArguments,
  TOKEN_VARIABLE,
  type Launcher,
  type LaunchRequest,
  type LaunchStatus,
} from "./launcher.ts";
import { TargetSettings } from "./settings.ts";

const RUNNER = fileURLToPath(new URL("../../../../runner/src/main.ts", import.meta.url));

/** Preloaded into the runner's process; ends the runner when the server ends. */
const END_WITH_PARENT = new URL("./end-with-parent.ts", import.meta.url).href;

export const local = defineKind({
  settings: z.strictObject({}),
  target: TargetSettings,
  open: ({ targets, log }): Launcher => {
    /** Processes started by this server, each with its last line of output. */
    const children = new Map<string, { child: ChildProcess; lastLine: string }>();
    return {
      usesProof: false,

      async launch(order) {
        const child = start(order, targetOf(targets, order.target));
        try {
          await once(child, "spawn");
        } catch (error) {
          throw new Refused(`starting the process failed: ${(error as Error).message}`);
        }
        const known = { child, lastLine: "" };
        for (const stream of [child.stdout, child.stderr]) {
          if (stream === null) continue;
          createInterface({ input: stream }).on("line", (line) => {
            known.lastLine = line;
            log(`[${order.name}] ${line}`);
          });
        }
        const id = idOf(child.pid ?? 0);
        children.set(id, known);
        return id;
      },

      find(name) {
        const pid = pidsHere().find((each) => argumentsOf(each).includes(name));
        return Promise.resolve(pid === undefined ? null : idOf(pid));
      },

      status(id): Promise<LaunchStatus> {
        const known = children.get(id);
        if (known !== undefined && hasEnded(known.child)) {
          children.delete(id);
          const how = known.child.signalCode ?? `exit code ${known.child.exitCode}`;
          return Promise.resolve({ state: "ended", detail: `${how}; last line of output: ${known.lastLine}` });
        }
        // Processes on other machines are assumed to be running, because only their own server can check them.
        return Promise.resolve({
          state: !id.startsWith(`${hostname()}/`) || idOf(pidOf(id)) === id ? "running" : "ended",
        });
      },

      cancel(id) {
        if (idOf(pidOf(id)) === id) process.kill(pidOf(id), "SIGTERM");
        return Promise.resolve();
      },

      close() {
        for (const { child } of children.values()) child.kill("SIGTERM");
      },
    };
  },
});

function start(order: LaunchRequest, settings: TargetSettings): ChildProcess {
  const args = ["--import", END_WITH_PARENT, RUNNER, ...runnerArguments(order, settings)];
  return spawn(process.execPath, args, {
    // Only selected variables, so that the server's secrets are not inherited.
    env: { ...childEnvironment(process.env, "python", "network"), [TOKEN_VARIABLE]: order.token ?? "" },
    // Standard input is never written to: it closes when this process ends, which the runner detects.
    stdio: ["pipe", "pipe", "pipe"],
  });
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

/**
 * Returns the id of a process, `HOST/PID/START`. The start time distinguishes it from a later process with the same
 * pid.
 */
function idOf(pid: number): string {
  let stat = "";
  try {
    stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch {
    return `${hostname()}/${pid}/gone`;
  }
  // Field 22 of proc(5) (start time), counted after the process name, which may contain any character.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return `${hostname()}/${pid}/${fields[0] === "Z" ? "gone" : fields[19]}`;
}

function pidOf(id: string): number {
  return Number(id.split("/").at(-2));
}

function pidsHere(): number[] {
  return readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
}

function argumentsOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  } catch {
    return [];
  }
}
