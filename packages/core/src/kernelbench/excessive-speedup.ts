/** Detects implausibly large speedups, whose kernels should be reviewed. */
import { kernelKeyText, type KernelKey } from "./key.ts";
import { kernelSpeedup, type ScoredKernel } from "./scoring.ts";

/** Speedup above which a kernel is flagged. The flag does not affect the score. */
export const EXCESSIVE_SPEEDUP = 10;

export interface ExcessiveSpeedup {
  key: string;
  speedup: number;
}

/** Lists correct kernels with a speedup above 10, fastest first. */
export function excessiveSpeedups(kernels: readonly (KernelKey & ScoredKernel)[]): ExcessiveSpeedup[] {
  return kernels
    .flatMap((kernel) => {
      const speedup = kernel.correct === true ? kernelSpeedup(kernel) : null;
      return isExcessive(speedup) ? [{ key: kernelKeyText(kernel), speedup }] : [];
    })
    .sort((a, b) => b.speedup - a.speedup);
}

export function isExcessive(speedup: number | null): speedup is number {
  return speedup !== null && speedup > EXCESSIVE_SPEEDUP;
}
