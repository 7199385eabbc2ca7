import { readFileSync, readdirSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { createClient } from "@kernelbot/api";
import { mintToken, startRunner, startServer, stop } from "../scripts/processes.ts";
import type { Bench } from "./figure.ts";

/**
 * Measures the resident memory of server and runner after a run, without the embedded database. An idle runner frees
 * PyTorch's memory after a timeout, here one second; a warm one keeps it. Peer: the same runner when warm. Its
 * processes are forks and share pages, so each page counts once (proportional set size).
 */
export const memory: Bench = async () => {
  await using server = await startServer();
  const token = mintToken(server.dataDir, { label: "runner", scopes: "runner", targets: "cpu" });
  const runner = await startRunner({ server: server.url, token, target: "cpu", args: ["--rest-after", "1"] });
  try {
    const client = createClient({ server: server.url, token: server.token });
    const source = "import torch\n\ndef custom_kernel(data):\n    a, b, c = data\n    return torch.add(a, b, out=c)\n";
    const request = { board: "vectoradd", targets: ["cpu"], mode: "test" as const, fileName: "kernel.py", source };
    const { id } = await client.submit(request);
    for await (const _event of client.events(id));

    const family = (): Process[] =>
      [...tree(server.process.pid), ...tree(runner.pid)].filter(({ name }) => name !== "postgres");
    const warm = sum(family(), "pssBytes");
    while (tree(runner.pid).length > 1) await pause(100);
    const idle = sum(family(), "rssBytes");
    return [{ name: "server and idle runner", value: idle, unit: "MB", peer: "runner warm", peerValue: warm }];
  } finally {
    await stop(runner, "SIGTERM");
  }
};

interface Process {
  pid: number;
  parent: number;
  name: string;
  rssBytes: number;
  pssBytes: number;
}

function sum(processes: Process[], what: "rssBytes" | "pssBytes"): number {
  return processes.reduce((bytes, process) => bytes + process[what], 0) / 1e6;
}

/** Returns a process and its descendants. */
function tree(root: number | undefined): Process[] {
  const processes = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap(look);
  const family = new Set([root]);
  for (let before = 0; before !== family.size;) {
    before = family.size;
    for (const { pid, parent } of processes) if (family.has(parent)) family.add(pid);
  }
  return processes.filter(({ pid }) => family.has(pid));
}

function look(pid: string): Process[] {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    const memory = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
    const field = (text: string, name: string): string => new RegExp(`^${name}:\\s+(.*)$`, "m").exec(text)?.[1] ?? "0";
    return [
      {
        pid: Number(pid),
        parent: Number(field(status, "PPid")),
        name: field(status, "Name"),
        rssBytes: Number.parseInt(field(memory, "Rss")) * 1024,
        pssBytes: Number.parseInt(field(memory, "Pss")) * 1024,
      },
    ];
  } catch {
    return []; // The process has ended.
  }
}
