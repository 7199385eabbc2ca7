/** What an importer reads from a data set: definitions with their workloads, facts about references, stored tensors. */
import { z } from "zod";
import type { TraceDefinition } from "./definition.ts";
import type { StoredTensor } from "./safetensors.ts";
import type { Workload } from "./workload.ts";

export interface TraceWorkload {
  /** File with its line: `workloads/rmsnorm/rmsnorm_h4096.jsonl:3`. */
  file: string;
  /** The line as it was read, which keeps what JavaScript's numbers lose: `1.0`, integers beyond 2^53. */
  text: string;
  workload: Workload;
  /** `trace`: a trace without result, with the tolerance of flashinfer-bench. `bare`: with a tolerance of its own. */
  form: "trace" | "bare";
}

export interface TraceSource {
  file: string;
  text: string;
  definition: TraceDefinition;
  workloads: TraceWorkload[];
}

/** Facts about the code of a definition, from `kernelbot_tester.definition_facts`, which parses it and runs nothing. */
export const DefinitionFacts = z.object({
  /** Why the reference is not Python; null if it is. */
  error: z.string().nullable(),
  /** Top-level functions: how many positional arguments they require, and how many they take at most (null: any). */
  functions: z.record(z.string(), z.object({ required: z.int(), most: z.int().nullable() })),
  /** Imported modules that neither Python's library nor PyTorch nor NumPy has. */
  modules: z.array(z.string()),
  /** What makes it need an accelerator, as it is written: `"cuda"`, `.cuda()`. */
  devices: z.array(z.string()),
  /** Positions of the constraints that are not Python expressions. */
  constraints: z.array(z.int()),
});
export type DefinitionFacts = z.infer<typeof DefinitionFacts>;

/** Tensor of a safetensors file. */
export interface TensorContent {
  stored: StoredTensor;
  sha256: string;
  /** Null if it is larger than a problem file can be. */
  base64: string | null;
}

/** Largest tensor in bytes that fits as Base64 into a problem file. */
export const MAX_STORED_TENSOR_BYTES = 740_000;

/** Returns a tensor, or why it cannot be read. */
export type TensorReader = (path: string, key: string) => TensorContent | { fault: string };
