#!/usr/bin/env node
import "./small-heap.ts";
import { writeFileSync } from "node:fs";
import { constants } from "node:os";
import { useProxy } from "@kernelbot/api/proxy";
import { deviceOf, machineName, KernelBotError } from "@kernelbot/core";
import { clearStaleArtifactFolders, startTester } from "@kernelbot/tester";
import { doctor } from "./doctor/doctor.ts";
import { runAgent } from "./agent/agent.ts";
import { Refusal, ServerClient } from "./server/server-client.ts";
import { joinFromGitHub } from "./server/github-join.ts";
import { log } from "./log.ts";
import { type Options, parseOptions, USAGE } from "./options.ts";

const warning = useProxy(process.env);
if (warning !== undefined) log(warning);
try {
  const args = process.argv.slice(2);
  if (args[0] === "doctor") process.exitCode = await doctor(args.slice(1));
  else {
    const options = parseOptions(args, process.env);
    if (options === "help") process.stdout.write(USAGE);
    else await main(options);
  }
} catch (error) {
  if (!(error instanceof KernelBotError) && !(error instanceof Refusal)) throw error;
  console.error(`kernelbot-runner: ${error.message}`);
  const usage = error instanceof KernelBotError && error.code === "bad_request";
  if (usage) console.error("Run kernelbot-runner --help for its options");
  process.exitCode = usage ? 2 : 3;
}

async function main(options: Options): Promise<void> {
  const drain = new AbortController();
  const stop = new AbortController();
  const onSignal = (signal: "SIGINT" | "SIGTERM"): void => {
    if (drain.signal.aborted) {
      log(`${signal} again: stopping immediately`);
      process.exitCode = 128 + constants.signals[signal];
      stop.abort();
    } else {
      log(`${signal}: draining; a second ${signal} stops the current run`);
      drain.abort();
    }
  };
  process.on("SIGINT", onSignal).on("SIGTERM", onSignal);

  const token = options.token ?? (await joinFromGitHub(options.server, process.env, drain.signal));
  await clearStaleArtifactFolders();
  const client = new ServerClient(options.server, token, log, () => writeHeartbeat(options.heartbeatFile));
  const slots = Array.from({ length: options.slots }, (_, at) => {
    // The server knows each slot as a runner.
    const name = at === 0 ? options.name : `${options.name}-${at + 1}`;
    return judgeInSlot({ ...options, name }, client, { drain: drain.signal, stop: stop.signal });
  });
  try {
    await Promise.all(slots);
  } finally {
    drain.abort();
    await Promise.allSettled(slots);
  }
  log("stopped");
}

/** Starts a tester, and judges one run after another. */
async function judgeInSlot(
  options: Options,
  client: ServerClient,
  signals: { drain: AbortSignal; stop: AbortSignal },
): Promise<void> {
  const tester = await startTester({
    unsafeNoSandbox: options.unsafeNoSandbox,
    accelerator: deviceOf(options.target) === "accelerator",
    slots: options.slots,
    onLog: (text) =>
      text
        .split("\n")
        .filter(Boolean)
        .forEach((line) => log(`tester: ${line}`)),
  });
  try {
    const { machine } = tester;
    const versions = Object.entries(machine.frameworks).map(([name, version]) => `${name} ${version}`);
    log(`${options.name}: ${machineName(machine)}, ${versions.join(", ")}, sandbox ${machine.sandbox}`);
    log(`claiming runs for ${options.target} from ${options.server.origin}`);
    await runAgent({ options, client, tester, log, ...signals });
  } finally {
    await tester.close();
  }
}

/** Sets the time of the file to now. A folder that is missing must not end a runner that works. */
function writeHeartbeat(file: string | null): void {
  if (file === null) return;
  try {
    writeFileSync(file, "");
  } catch (error) {
    log(`--heartbeat-file: ${error instanceof Error ? error.message : String(error)}`);
  }
}
