/** Descriptions of machines for tests. */
import type { Machine } from "@kernelbot/core";

export const MACHINE: Machine = {
  hostname: "box",
  os: "Linux",
  arch: "x86_64",
  cpu: { model: "Fast CPU", count: 2, clockMhz: null, measured: null },
  memoryBytes: 8_000_000_000,
  accelerators: [],
  runtime: null,
  driver: null,
  python: "3.13.1",
  frameworks: { torch: "2.9.0" },
  sandbox: "bubblewrap",
  testerVersion: "1",
};

/** A machine with the accelerator of the target H100. */
export const H100: Machine = {
  ...MACHINE,
  accelerators: [
    {
      model: "NVIDIA H100 80GB HBM3",
      memoryBytes: 80_000_000_000,
      architecture: "sm_90",
      clockMhz: null,
      measured: null,
    },
  ],
  runtime: "CUDA 13.0",
  driver: "580.65.06",
};
