import { z } from "zod";
import type { Machine } from "./machine.ts";
import { formatBytes } from "../text/units.ts";

/** Difference between two machines, in words; a side is null if the machine lacks the item. */
export const MachineDifference = z.object({ what: z.string(), a: z.string().nullable(), b: z.string().nullable() });
export type MachineDifference = z.infer<typeof MachineDifference>;

/**
 * Lists all differences between two machines that may affect times. Momentary clocks and probe measurements are
 * ignored.
 */
export function machineDifferences(a: Machine, b: Machine): MachineDifference[] {
  const [left, right] = [factsOf(a), factsOf(b)];
  return [...new Set([...left.keys(), ...right.keys()])]
    .map((what) => ({ what, a: left.get(what) ?? null, b: right.get(what) ?? null }))
    .filter((fact) => fact.a !== fact.b);
}

function factsOf(machine: Machine): Map<string, string | null> {
  const { cpu, accelerators, frameworks } = machine;
  return new Map([
    ["host", machine.hostname],
    ["processor", `${cpu.model}, ${cpu.count} threads`],
    ["accelerators", accelerators.map(({ model }) => model).join(", ") || null],
    ["memory", formatBytes(machine.memoryBytes)],
    ["system", `${machine.os}, ${machine.arch}`],
    ["runtime", machine.runtime],
    ["driver", machine.driver],
    ["Python", machine.python],
    ...Object.entries(frameworks).map(([name, version]): [string, string] => [name, version]),
    ["sandbox", machine.sandbox],
    ["tester", machine.testerVersion],
    ["image", machine.image ?? null],
  ]);
}
