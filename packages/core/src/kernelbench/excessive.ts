/** Speed-ups that are rarely real, and worth a look at the kernel. */
import { kernelKeyText, type KernelKey } from "./key.ts";
import type { ScoredKernel } from "./scoring.ts";
import { speedupOf } from "./speedup.ts";

/** Above this speed-up a kernel is flagged. The flag changes no figure. */
export const EXCESSIVE_SPEEDUP = 10;

export interface ExcessiveSpeedup {
  key: string;
  speedup: number;
}

/** The correct kernels that are more than 10 times as fast as the baseline, the fastest first. */
export function excessiveSpeedups(kernels: readonly (KernelKey & ScoredKernel)[]): ExcessiveSpeedup[] {
  return kernels
    .flatMap((kernel) => {
      const speedup = kernel.correct === true ? speedupOf(kernel.timeNs, kernel.baselineNs) : null;
      return isExcessive(speedup) ? [{ key: kernelKeyText(kernel), speedup }] : [];
    })
    .sort((a, b) => b.speedup - a.speedup);
}

export function isExcessive(speedup: number | null): speedup is number {
  return speedup !== null && speedup > EXCESSIVE_SPEEDUP;
}
