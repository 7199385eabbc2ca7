import { expect, test } from "vitest";
import { H100, MACHINE } from "@kernelbot/testing/machine.ts";
import { backendOf } from "./backend.ts";

const machine = (runtime: string | null, ...architectures: (string | null)[]) => ({
  ...H100,
  runtime,
  accelerators: architectures.flatMap((architecture) => H100.accelerators.map((each) => ({ ...each, architecture }))),
});

test.each([
  ["cpu", MACHINE, { type: "cpu", archs: [], device: "cpu" }],
  ["cpu-arm", MACHINE, { type: "cpu", archs: [], device: "cpu" }],
  ["H100", H100, { type: "cuda", archs: ["9.0"], device: "cuda" }],
  ["B200", machine("CUDA 13.0", "sm_100a", "sm_100a"), { type: "cuda", archs: ["10.0"], device: "cuda" }],
  ["MI300", machine("HIP 7.1", "gfx942"), { type: "rocm", archs: ["gfx942"], device: "cuda" }],
  ["T4", machine("CUDA 12.6", null), { type: "cuda", archs: [], device: "cuda" }],
  ["H100", machine(null, "sm_90"), null],
])("the backend of %s is that of its machine", (target, on, backend) => {
  expect(backendOf({ target, machine: on })).toEqual(backend);
});
