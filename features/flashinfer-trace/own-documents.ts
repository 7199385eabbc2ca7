/** Documents of a problem that was imported: its definition, its workloads and its stored tensors, as they were imported. */
import { z } from "zod";
import {
  type Case,
  formatTraceFault,
  KernelBotError,
  parseDocument,
  parseJson,
  type Problem,
  quote,
  resolveAxes,
  resolveShape,
  storedDtype,
  tensorFile,
  type TensorToStore,
  Trace,
  TraceDefinition,
  type TraceFault,
  Workload,
} from "@kernelbot/core";
import { memberText } from "./member-text.ts";

/** Workload of an exported definition. */
export interface WorkloadDocument {
  workload: Workload;
  /** The workload as JSON, as it was written: `1.0` stays a float. */
  text: string;
  /** Line of the workload in a JSONL file. */
  line: string;
  /** Whether the line is a trace without result, or the workload only. */
  form: "trace" | "bare";
}

/** Documents of a problem, without solutions and traces. */
export interface ProblemDocuments {
  definition: TraceDefinition;
  /** Text of the definition's file. */
  definitionText: string;
  workloads: WorkloadDocument[];
  /** Safetensors files by path in the data set. */
  tensors: Map<string, Uint8Array>;
  /** Workloads that are not exported, with the reason. */
  leftOut: { uuid: string; why: string }[];
  /** Returns the workload of a timed case, whose index counts from 0; undefined if there is none. */
  workloadOf: (values: Case, index: number) => WorkloadDocument | undefined;
}

/** Table that the import writes: which file of the problem has which stored tensor. */
const CaseTable = z.record(z.string(), z.object({ tensors: z.record(z.string(), z.string()) }));

/** Whether a problem was imported from a definition. */
export function isImportedDefinition({ files }: Pick<Problem, "files">): boolean {
  return ["definition.json", "workloads.jsonl", "cases.json"].every((name) => files[name] !== undefined);
}

/**
 * Returns the documents of an imported problem. Workloads whose stored tensors the problem does not have are left out.
 * @throws KernelBotError `unprocessable` that names each faulty field, if the problem's documents were changed
 */
export function ownDocuments({ spec, files }: Problem): ProblemDocuments {
  const faults: TraceFault[] = [];
  const definitionText = files["definition.json"] ?? "";
  const value = parseJson(definitionText, "definition.json", faults);
  const definition = value === undefined ? null : parseDocument(TraceDefinition, value, "definition.json", faults);
  const table = parseDocument(
    CaseTable,
    parseJson(files["cases.json"] ?? "", "cases.json", faults),
    "cases.json",
    faults,
  );
  const lines = (files["workloads.jsonl"] ?? "").split("\n").filter((line) => line.trim() !== "");
  const all = lines.flatMap((line, index) => parseLine(line, `workloads.jsonl:${index + 1}`, faults) ?? []);
  if (definition === null || table === null || faults.length > 0)
    throw new KernelBotError(
      "unprocessable",
      `problem ${quote(spec.name)}: ${faults.map(formatTraceFault).join("; ")}`,
    );
  const leftOut: ProblemDocuments["leftOut"] = [];
  const stored = new Map<string, Map<string, TensorToStore>>();
  const workloads = all.filter(({ workload }) => {
    const missing = addTensors({ definition, workload, names: table[workload.uuid]?.tensors ?? {}, files }, stored);
    if (missing !== null) leftOut.push({ uuid: workload.uuid, why: missing });
    return missing === null;
  });
  const tensors = new Map([...stored].map(([path, own]) => [path, tensorFile(own)]));
  const workloadOf = (values: Case) => workloads.find(({ workload }) => workload.uuid === values["workload"]);
  return { definition, definitionText, workloads, tensors, leftOut, workloadOf };
}

function parseLine(line: string, place: string, faults: TraceFault[]): WorkloadDocument | null {
  const value = parseJson(line, place, faults);
  if (typeof value !== "object" || value === null) return null;
  if (!("workload" in value)) {
    const workload = parseDocument(Workload, value, place, faults);
    return workload === null ? null : { workload, text: line, line, form: "bare" };
  }
  const trace = parseDocument(Trace, value, place, faults);
  return trace === null ? null : { workload: trace.workload, text: memberText(line, "workload"), line, form: "trace" };
}

/** Adds the stored tensors of a workload by path and key. Returns why one is missing; null if none is. */
function addTensors(
  {
    definition,
    workload,
    names,
    files,
  }: {
    definition: TraceDefinition;
    workload: Workload;
    names: Readonly<Record<string, string>>;
    files: Problem["files"];
  },
  stored: Map<string, Map<string, TensorToStore>>,
): string | null {
  const axes = resolveAxes(definition.axes, workload.axes, () => undefined);
  const own: [path: string, key: string, tensor: TensorToStore][] = [];
  for (const [input, source] of Object.entries(workload.inputs)) {
    const tensor = definition.inputs[input];
    if (source.type !== "safetensors" || tensor === undefined) continue;
    const base64 = files[names[input] ?? ""];
    if (base64 === undefined) return `the problem does not have the stored tensor of inputs.${input}`;
    // Published data sets have paths such as `./blob/workloads/a.safetensors`.
    const path = source.path.replace(/^(?:\.\/)+/, "");
    if (!isInside(path)) return `inputs.${input}.path: ${quote(source.path)} is not a path inside the data set`;
    const bytes = Uint8Array.from(atob(base64.trim()), (letter) => letter.charCodeAt(0));
    const shape = resolveShape(tensor, axes) ?? [];
    own.push([path, source.tensor_key, { dtype: storedDtype(tensor.dtype), shape, bytes }]);
  }
  for (const [path, key, tensor] of own)
    stored.set(path, (stored.get(path) ?? new Map<string, TensorToStore>()).set(key, tensor));
  return null;
}

function isInside(path: string): boolean {
  return path.split("/").every((part) => /^[^.\\:/][^\\:/]*$/.test(part));
}
