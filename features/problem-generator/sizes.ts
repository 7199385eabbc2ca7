/** Sizes of the cases of generated problems. */
import type { Case, Cases } from "./program.ts";
import type { Random } from "./random.ts";

/** Estimated times of the reference in the three benchmarks of a processor, in nanoseconds; most take half of it. */
const CPU_NS = [200e3, 800e3, 2.5e6] as const;

/** Number of elements of the largest tensor in the three benchmarks of an accelerator. */
const GPU_ELEMENTS = [2 ** 23, 2 ** 25, 2 ** 26] as const;

/** What the sizes depend on; a `Builder` has it. */
export interface Work {
  /** True if outputs of a few elements may be equal by chance, so that tests need more. */
  flat: boolean;
  /** Estimated time of the reference, in nanoseconds for each element. */
  nsPerElement: number;
}

/**
 * Draws sizes of matrices: `many` rows of `length` elements, over which a row's result is computed. Some tests have few
 * elements in each row, so that each of them matters.
 *
 * @param least Least length of a test.
 */
export function drawMatrices(
  random: Random,
  [many, length]: readonly [many: string, length: string],
  { flat, nsPerElement }: Work,
  least = 1,
): Cases {
  const size = (rows: number, columns: number) => ({ [many]: rows, [length]: columns });
  const smallest = flat || least > 1 ? [] : [size(1, 1)];
  return {
    tests: [
      ...smallest,
      size(flat ? 23 : 1, random.choice([17, 37, 61, 97])),
      size(random.choice([37, 67, 131]), least),
      size(random.choice([127, 129, 257]), Math.max(least, 3)),
      size(random.choice([29, 31, 33]), random.choice([65, 127, 129])),
      size(random.choice([32, 64]), random.choice([64, 128])),
      size(random.choice([5, 9, 17]), random.choice([1000, 1023, 1025])),
    ],
    cpu: CPU_NS.map((ns) => {
      const columns = random.choice([256, 384, 512, 768, 1000, 1024]);
      return size(Math.max(2, Math.round(ns / nsPerElement / columns)), columns);
    }),
    gpu: GPU_ELEMENTS.map((elements) => {
      const columns = random.choice([1024, 2048, 4096, 5120, 8192]);
      return size(Math.round(elements / columns), columns);
    }),
  };
}

/** Draws sizes of products of an (m, k) and a (k, n) matrix. */
export function drawProducts(random: Random): Cases {
  const size = (m: number, n: number, k: number) => ({ m, n, k });
  const gpu = [1024, 1536, 2048, 3072, 4096] as const;
  return {
    tests: [
      size(1, random.choice([17, 31, 65]), random.choice([1, 2, 3])),
      size(random.choice([33, 129]), 1, random.choice([127, 200, 257])),
      size(random.choice([31, 63]), random.choice([65, 97]), 1),
      size(64, random.choice([32, 64]), random.choice([64, 96])),
      size(random.choice([127, 129]), random.choice([61, 67]), random.choice([199, 211])),
      size(random.choice([65, 130]), 150, random.choice([511, 513])),
    ],
    cpu: [
      size(random.choice([64, 96]), random.choice([96, 128]), 128),
      size(random.choice([128, 160]), random.choice([192, 200]), random.choice([192, 256])),
      size(256, random.choice([256, 384]), random.choice([200, 256])),
    ],
    gpu: [
      size(1024, 1024, 1024),
      size(2048, random.choice(gpu), random.choice(gpu)),
      size(random.choice(gpu), 4096, random.choice(gpu)),
    ],
  };
}

/** Draws sizes of tensors with three dimensions, each of them `names`. */
export function drawCubes(
  random: Random,
  names: readonly [string, string, string],
  { flat, nsPerElement }: Work,
): Cases {
  const size = (...sizes: readonly number[]) =>
    Object.fromEntries(names.map((name, dimension) => [name, sizes[dimension] as number]));
  return {
    tests: [
      ...(flat ? [] : [size(1, 1, 1)]),
      size(1, random.choice([3, 5]), random.choice([17, 31])),
      size(random.choice([33, 67]), 1, random.choice([2, 3])),
      size(random.choice([2, 3]), random.choice([31, 37]), 1),
      size(4, 16, random.choice([32, 64])),
      size(random.choice([5, 7]), random.choice([33, 63]), random.choice([65, 127])),
    ],
    cpu: CPU_NS.map((ns) => {
      const [second, third] = [random.choice([32, 48, 64]), random.choice([64, 100, 128])];
      return size(Math.max(2, Math.round(ns / nsPerElement / second / third)), second, third);
    }),
    gpu: GPU_ELEMENTS.map((elements) => {
      const [second, third] = [random.choice([64, 128, 256]), random.choice([512, 1024, 2048])];
      return size(Math.round(elements / second / third), second, third);
    }),
  };
}

/**
 * Draws sizes of batches of images, and optionally of filters. Timed images are multiples of 6 in height and width.
 *
 * @param imageNs Estimated time of the reference for an image, in nanoseconds.
 */
export function drawImages(
  random: Random,
  { withFilters, imageNs }: { withFilters: boolean; imageNs: (image: Case) => number },
): Cases {
  const size = (batch: number, channels: number, height: number, width: number, filters: number): Case => ({
    ...{ batch, channels, height, width },
    ...(withFilters && { filters }),
  });
  return {
    tests: [
      size(1, 1, 13, 17, 3),
      size(2, 3, 9, 8, random.choice([2, 5])),
      size(random.choice([1, 2]), 2, 17, 14, random.choice([3, 7])),
      size(1, 2, 12, 6, 4),
      size(3, 4, random.choice([12, 18]), 12, random.choice([6, 8])),
      size(2, random.choice([5, 7]), random.choice([16, 18]), 11, random.choice([8, 9])),
    ],
    cpu: CPU_NS.map((ns) => {
      const image = size(1, random.choice([4, 8, 16]), random.choice([24, 30]), 24, random.choice([8, 16]));
      return { ...image, batch: Math.max(2, Math.round(ns / imageNs(image))) };
    }),
    gpu: [16, 32, 64].map((batch) =>
      size(batch, random.choice([64, 96, 128]), random.choice([48, 60, 96]), 96, random.choice([64, 128])),
    ),
  };
}

/** Returns the largest value of an expression over all cases. */
export function largest({ tests, cpu, gpu }: Cases, of: (sizes: Case) => number): number {
  return Math.max(...[...tests, ...cpu, ...gpu].map(of));
}
