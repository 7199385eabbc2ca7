/** Problems whose cases run on several ranks: `multi_gpu: true`. */
import { invalidProblem } from "./error.ts";
import { type Case, casesFor, type ProblemSpec, WorldSize } from "../vocabulary/specification.ts";

/**
 * Returns the problem with its number of ranks. All cases of a target have the same number, because the ranks of a job
 * are started once; targets may differ.
 * @throws KernelBotError `unprocessable`, with the problem, the key and the expected value.
 */
export function withWorldSize(spec: ProblemSpec): ProblemSpec {
  const fail = (what: string) => invalidProblem(spec.name, `task.yml: multi_gpu: ${what}`);
  if (spec.harness === "legacy") return { ...spec, ...devicesOf(spec, fail) };
  if (spec.tolerance === null) throw fail("give a tolerance: each rank is compared with the reference's");
  const sizeOf = ({ tests, benchmarks }: { tests: Case[]; benchmarks: Case[] }, whose: string): number => {
    const [size, ...others] = new Set([...tests, ...benchmarks].map((one) => one["world_size"]));
    const parsed = WorldSize.safeParse(size);
    if (parsed.success && others.length === 0) return parsed.data;
    throw fail(`give every case ${whose} the same world_size, a whole number from 2 to 16`);
  };
  const worldSize = sizeOf(spec, "of the problem");
  const targets = Object.fromEntries(
    Object.entries(spec.targets).map(([target, settings]) => {
      const size = sizeOf(casesFor(spec, target), `of target ${target}`);
      return [target, size === worldSize ? settings : { ...settings, worldSize: size }];
    }),
  );
  return { ...spec, worldSize, targets };
}

/**
 * Returns the number of devices that a legacy harness needs: the largest world size of its cases, since it starts the
 * ranks of each case itself.
 */
function devicesOf(spec: ProblemSpec, fail: (what: string) => Error): Pick<ProblemSpec, "worldSize" | "targets"> {
  const mostOf = ({ tests, benchmarks }: { tests: Case[]; benchmarks: Case[] }): number => {
    const sizes = [...tests, ...benchmarks].map((one) => Number(one["world_size"]));
    const most = WorldSize.safeParse(Math.max(...sizes));
    if (most.success && sizes.every((size) => Number.isInteger(size) && size > 0)) return most.data;
    throw fail("give every case a world_size, a whole number, the largest from 2 to 16");
  };
  const worldSize = mostOf(spec);
  const targets = Object.fromEntries(
    Object.entries(spec.targets).map(([target, settings]) => {
      const size = mostOf(casesFor(spec, target));
      return [target, size === worldSize ? settings : { ...settings, worldSize: size }];
    }),
  );
  return { worldSize, targets };
}
