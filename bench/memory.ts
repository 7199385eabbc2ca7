import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { createClient } from "@kernelbot/api";
import { findPython } from "@kernelbot/tester";
import { mintToken, startRunner, startServer, stop, type Program } from "../scripts/processes.ts";
import type { Bench } from "./figure.ts";
import { megabytes, sum, tree } from "./processes.ts";

const ROOT = resolve(import.meta.dirname, "..");
/** Time in ms for which a runner's tester stays warm. It is measured several times, since the runner may use it for a canary. */
const WARM_MS = 10_000;
/**
 * Time in ms after which server and runner are idle: the tester and the server's thread for computations have ended, and
 * V8 has returned what it does not need.
 */
const IDLE_MS = 45_000;
const SOURCE = "import torch\n\ndef custom_kernel(data):\n    a, b, c = data\n    return torch.add(a, b, out=c)\n";
/** Prints the memory of a process that has only imported PyTorch. */
const IMPORT_TORCH = "import torch; print(open('/proc/self/smaps_rollup').read())";

/**
 * Measures the memory of the published server and runner, without the embedded database, after a run:
 *
 * - server and idle runner: resident set sizes. An idle runner has stopped its tester (`--rest-after`). Peer: the same
 *   programs started from their sources.
 * - warm runner: proportional set sizes of the runner's processes, of which two have imported PyTorch and share its
 *   libraries. Peer: two Python processes that share nothing and have only imported PyTorch.
 */
export const memory: Bench = async () => {
  // Below the packages, where the published server finds the embedded database.
  const folder = mkdtempSync(join(ROOT, "node_modules/.cache/memory-"));
  try {
    const build = [join(ROOT, "scripts/release/main.ts"), "--without-executables", "--output", folder];
    execFileSync(process.execPath, build, { stdio: ["ignore", "ignore", "inherit"] });
    const published = (name: string): Program => [
      process.execPath,
      join(folder, "packages", name, "dist", `${name}.js`),
    ];
    const built = await measure(published("kernelbot-server"), published("kernelbot-runner"));
    const sources = await measure();
    const { path: python } = await findPython();
    const torch = megabytes(execFileSync(python, ["-c", IMPORT_TORCH], { encoding: "utf8" }), "Rss");
    return [
      { name: "server and idle runner", value: built.idle, unit: "MB", peer: "from sources", peerValue: sources.idle },
      { name: "warm runner", value: built.warm, unit: "MB", peer: "two imports of PyTorch", peerValue: 2 * torch },
    ];
  } finally {
    rmSync(folder, { recursive: true });
  }
};

/** Measures a server and a runner, by default from their sources, in MB. */
async function measure(serverProgram?: Program, runnerProgram?: Program): Promise<{ idle: number; warm: number }> {
  await using server = await startServer(serverProgram && { program: serverProgram });
  const token = mintToken(server.dataDir, { label: "runner", scopes: "runner", targets: "cpu" });
  const args = ["--rest-after", String(WARM_MS / 1000)];
  const program = runnerProgram && { program: runnerProgram };
  const runner = await startRunner({ server: server.url, token, target: "cpu", args, ...program });
  try {
    const client = createClient({ server: server.url, token: server.token });
    const request = { board: "vectoradd", targets: ["cpu"], mode: "test" as const, fileName: "kernel.py" };
    const { id } = await client.submit({ ...request, source: SOURCE });
    for await (const _event of client.events(id));
    let warm = Infinity;
    for (const end = performance.now() + WARM_MS / 2; performance.now() < end; await pause(200)) {
      warm = Math.min(warm, sum(tree(runner.pid), "pssMb"));
    }
    await pause(IDLE_MS);
    const family = [...tree(server.process.pid), ...tree(runner.pid)].filter(({ name }) => name !== "postgres");
    return { idle: sum(family, "rssMb"), warm };
  } finally {
    await stop(runner, "SIGTERM");
  }
}
