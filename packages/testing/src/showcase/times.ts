/** Costs and times of cases: a simple roofline model of each device, with realistic noise. */
import type { Case, Rounds } from "@kernelbot/core";
import { normal } from "../noise.ts";

export interface Cost {
  bytes: number;
  operations: number;
  outputBytes: number;
}

/** Returns the cost of a case, as computed by `cost` in each shipped problem's `reference.py`. */
export function costOf(problem: string, values: Case): Cost {
  const at = (name: string): number => Number(values[name]);
  const n = at("size");
  switch (problem) {
    case "vectoradd":
      return { bytes: 6 * n, operations: n, outputBytes: 2 * n };
    case "vectorsum":
      return { bytes: 4 * n + 4, operations: n, outputBytes: 4 };
    case "histogram":
      return { bytes: n + 2048, operations: n, outputBytes: 2048 };
    case "grayscale": {
      const pixels = at("height") * at("width");
      return { bytes: 16 * pixels, operations: 5 * pixels, outputBytes: 4 * pixels };
    }
    case "matmul": {
      const [m, n, k] = [at("m"), at("n"), at("k")];
      return { bytes: 4 * (m * k + k * n + m * n), operations: 2 * m * n * k, outputBytes: 4 * m * n };
    }
    case "conv2d": {
      const images = at("batch") * at("channels") * n ** 2;
      const outputs = at("batch") * at("channels") * (n - at("kernelsize") + 1) ** 2;
      return {
        bytes: 4 * (images + outputs),
        operations: outputs * at("channels") * at("kernelsize") ** 2,
        outputBytes: 4 * outputs,
      };
    }
    default:
      return { bytes: 8 * n, operations: n, outputBytes: 4 * n };
  }
}

interface Device {
  bytesPerNs: number;
  operationsPerNs: number;
  /** Time of the shortest call, in nanoseconds. */
  launchNs: number;
}

const DEVICES: Record<string, Device> = {
  cpu: { bytesPerNs: 110, operationsPerNs: 900, launchNs: 6_000 },
  H100: { bytesPerNs: 3_000, operationsPerNs: 52_000, launchNs: 3_400 },
  MI300: { bytesPerNs: 4_300, operationsPerNs: 90_000, launchNs: 5_200 },
};

/** Returns the time of a call with this efficiency, in nanoseconds. */
export function callNs(cost: Cost, target: string, efficiency: number): number {
  const device = DEVICES[target] as Device;
  return (
    device.launchNs / (0.4 + 0.6 * efficiency) +
    Math.max(cost.bytes / device.bytesPerNs, cost.operations / device.operationsPerNs) / efficiency
  );
}

/** Returns samples around the given times: narrow on an accelerator, one-sided with outliers on a CPU. */
export function roundsOf(
  times: { candidateNs: number; referenceNs: number; rivalNs?: number },
  target: string,
  random: () => number,
): Rounds {
  const isCpu = target === "cpu";
  const sample = (ns: number): number => {
    const straggler = random() < (isCpu ? 0.06 : 0.015) ? 1 + 0.9 * random() ** 2 : 1;
    const scatter = isCpu ? 1 + Math.abs(0.018 * normal(random)) : 1 + 0.012 * normal(random);
    return Math.round(ns * scatter * straggler * 10) / 10;
  };
  return Array.from({ length: isCpu ? 32 : 20 }, (_, round) => {
    const isHeldBack = !isCpu && random() < 0.02;
    const slowed = isHeldBack ? 1.12 : 1;
    const series = (ns: number): number[] => Array.from({ length: isCpu ? 2 : 3 }, () => sample(ns * slowed));
    const { candidateNs, referenceNs, rivalNs } = times;
    return {
      candidateNs: series(candidateNs),
      ...(rivalNs !== undefined && { rivalNs: series(rivalNs) }),
      referenceNs: series(referenceNs),
      ...(!isCpu && {
        conditions: {
          smMhz: isHeldBack ? 1755 : target === "H100" ? 1980 : 2100,
          memoryMhz: target === "H100" ? 2619 : 1300,
          temperatureC: Math.round(54 + round / 3 + 2 * random()),
          powerW: Math.round(380 + 140 * random()),
          throttled: isHeldBack ? ["power cap"] : [],
          mark: isHeldBack ? "power cap" : null,
        },
      }),
    };
  });
}
