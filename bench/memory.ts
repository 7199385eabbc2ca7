import { readFileSync, readdirSync } from "node:fs";
import { createClient } from "@kernelbot/core";
import { startServer } from "../scripts/processes.ts";
import type { Bench } from "./figure.ts";

/**
 * Resident memory of server and idle runner with its tester, the embedded database excluded, after one run. Pages that
 * processes share are counted once (proportional set size), since the tester's processes are forks of one another.
 */
export const memory: Bench = async () => {
  await using server = await startServer({ localRunner: "cpu" });
  const client = createClient({ server: server.url, token: server.token });
  const source = "import torch\n\ndef custom_kernel(data):\n    a, b, c = data\n    return torch.add(a, b, out=c)\n";
  const { id } = await client.submit({
    board: "vectoradd",
    targets: ["cpu"],
    mode: "test",
    fileName: "kernel.py",
    source,
  });
  for await (const event of client.events(id)) void event;

  const all = tree(server.process.pid ?? 0).filter(({ name }) => name !== "postgres");
  const sum = (processes: Process[]): number => processes.reduce((bytes, { pssBytes }) => bytes + pssBytes, 0) / 1e6;
  const node = all.filter(({ name }) => name.startsWith("node") || name === "MainThread");
  return [
    { name: "server and idle runner", value: sum(node), unit: "MB" },
    { name: "with the tester's Python", value: sum(all), unit: "MB" },
  ];
};

interface Process {
  pid: number;
  parent: number;
  name: string;
  pssBytes: number;
}

function tree(root: number): Process[] {
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
    const field = (text: string, name: string): string => new RegExp(`^${name}:\\s+(.*)$`, "m").exec(text)?.[1] ?? "0";
    const pss = field(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"), "Pss");
    return [
      {
        pid: Number(pid),
        parent: Number(field(status, "PPid")),
        name: field(status, "Name"),
        pssBytes: Number.parseInt(pss) * 1024,
      },
    ];
  } catch {
    return []; // It ended while we looked.
  }
}
