/** The machines and runners of the showcase. */
import type { Machine } from "@kernelbot/core";

const GIB = 2 ** 30;

const BASE = {
  os: "Linux 6.8.0",
  arch: "x86_64",
  python: "3.12.7",
  sandbox: "bubblewrap",
  testerVersion: "0.1.0",
} as const;

const H100: Machine = {
  ...BASE,
  hostname: "rack2-h100-a",
  cpu: { model: "Intel Xeon Platinum 8480C", count: 52, clockMhz: 2000, measured: null },
  memoryBytes: 512 * GIB,
  accelerators: [
    { model: "NVIDIA H100 80GB HBM3", memoryBytes: 80 * GIB, architecture: "sm_90", clockMhz: 1980, measured: null },
  ],
  runtime: "CUDA 13.0",
  driver: "580.65.06",
  frameworks: { torch: "2.9.0", triton: "3.5.0", numpy: "2.1.3" },
};

const EPYC: Machine = {
  ...BASE,
  hostname: "epyc-lab-1",
  cpu: {
    model: "AMD EPYC 9354P 32-Core Processor",
    count: 32,
    clockMhz: 3250,
    measured: { memoryBytesPerS: 1.9e11, operationsPerS: 1.6e12 },
  },
  memoryBytes: 256 * GIB,
  accelerators: [],
  runtime: null,
  driver: null,
  frameworks: { torch: "2.9.0", numpy: "2.1.3" },
};

export interface Station {
  runner: string;
  target: string;
  machine: Machine;
}

/** Runners of all targets; runs are distributed over the runners of a target. */
export const STATIONS: readonly Station[] = [
  { runner: "h100-a", target: "H100", machine: H100 },
  { runner: "h100-b", target: "H100", machine: { ...H100, hostname: "rack2-h100-b" } },
  { runner: "epyc-1", target: "cpu", machine: EPYC },
  { runner: "epyc-2", target: "cpu", machine: { ...EPYC, hostname: "epyc-lab-2" } },
  {
    runner: "mi300-university-partition-04",
    target: "MI300",
    machine: {
      ...BASE,
      hostname: "mi300-04.hpc.example.edu",
      cpu: { model: "AMD EPYC 9654 96-Core Processor", count: 48, clockMhz: 2400, measured: null },
      memoryBytes: 768 * GIB,
      accelerators: [
        {
          model: "AMD Instinct MI300X",
          memoryBytes: 192 * GIB,
          architecture: "gfx942",
          clockMhz: 2100,
          measured: null,
        },
      ],
      runtime: "HIP 7.1",
      driver: "6.16.6",
      frameworks: { torch: "2.9.0", triton: "3.5.0", numpy: "2.1.3" },
    },
  },
];
