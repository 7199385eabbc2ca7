/**
 * Benchmarks of performance claims, measured next to what a user would use instead.
 *
 *     npm run bench -- latency            prints a table
 *     npm run bench -- accept --json      prints a line of JSON per figure
 *     npm run bench                       runs all
 */
import { cpus } from "node:os";
import { parseArgs } from "node:util";
import type { Bench, Figure } from "./figure.ts";

const BENCHES: Record<string, () => Promise<Bench>> = {
  latency: async () => (await import("./latency.ts")).latency,
  dispatch: async () => (await import("./dispatch.ts")).dispatch,
  adopt: async () => (await import("./adopt.ts")).adopt,
  accept: async () => (await import("./accept.ts")).accept,
  polls: async () => (await import("./polls.ts")).polls,
  attacks: async () => (await import("./attacks.ts")).attacks,
  evaluations: async () => (await import("./evaluations.ts")).evaluations,
  "evaluation-leaks": async () => (await import("./evaluation-leaks.ts")).evaluationLeaks,
  "hack-rate": async () => (await import("./hack-rate.ts")).hackRate,
  memory: async () => (await import("./memory.ts")).memory,
  clock: async () => (await import("./clock.ts")).clock,
  noise: async () => (await import("./noise.ts")).noise,
  "noise-busy": async () => (await import("./noise.ts")).noiseBusy,
  "in-use": async () => (await import("./in-use.ts")).inUse,
  "judge-time": async () => (await import("./judge-time.ts")).judgeTime,
  overhead: async () => (await import("./overhead.ts")).overhead,
  similar: async () => (await import("./similar.ts")).similar,
  site: async () => (await import("./site.ts")).site,
  kernelbench: async () => (await import("./kernelbench.ts")).kernelbench,
  dataset: async () => (await import("./dataset.ts")).dataset,
  "dataset-filter": async () => (await import("./dataset-filter.ts")).datasetFilter,
  backup: async () => (await import("./backup.ts")).backup,
  boards: async () => (await import("./boards.ts")).boards,
  watchers: async () => (await import("./watchers.ts")).watchers,
  gpu: async () => (await import("./gpu.ts")).gpu,
  problems: async () => (await import("./problems.ts")).problems,
  "problems-5000": async () => (await import("./problems-5000.ts")).problems5000,
  fleet: async () => (await import("./fleet.ts")).fleet,
  install: async () => (await import("./install.ts")).install,
  "trace-import": async () => (await import("./trace-import.ts")).traceImport,
};

const { values, positionals } = parseArgs({
  options: { json: { type: "boolean", default: false } },
  allowPositionals: true,
});
const unknown = positionals.filter((name) => !(name in BENCHES));
if (unknown.length > 0) {
  console.error(`There is no bench called ${unknown.join(", ")}. There are: ${Object.keys(BENCHES).join(", ")}.`);
  process.exit(2);
}
const machine = `${cpus()[0]?.model ?? "unknown processor"}, ${cpus().length} threads`;
for (const [name, load] of Object.entries(BENCHES)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  const bench = await load();
  for (const figure of await bench()) {
    if (!Number.isFinite(figure.value)) throw new Error(`bench ${name} did not measure "${figure.name}"`);
    console.log(values.json ? json(figure) : line(figure));
  }
}

function json({ name, value, unit, peer, peerValue }: Figure): string {
  const ratio = peerValue === undefined ? null : value / peerValue;
  return JSON.stringify({ name, value, unit, peer: peer ?? null, peerValue: peerValue ?? null, ratio, machine });
}

function line({ name, value, unit, peer, peerValue }: Figure): string {
  const comparison = peer === undefined || peerValue === undefined ? "" : `   ${peer}: ${rounded(peerValue)} ${unit}`;
  return `${name.padEnd(32)} ${rounded(value).padStart(10)} ${unit.padEnd(6)}${comparison}`;
}

function rounded(value: number): string {
  return Number.isInteger(value) || value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}
