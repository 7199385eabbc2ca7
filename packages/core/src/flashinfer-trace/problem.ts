/**
 * Converts a FlashInfer Trace definition with its workloads to a problem directory. The documents stay in the directory as
 * they were read; `cases.json` has what the reference needs in addition.
 */
import { checkDefinition } from "./definition-check.ts";
import type { TraceFault } from "./faults.ts";
import { exampleFiles } from "./examples.ts";
import { MAX_PROBLEM_FILE_BYTES } from "../vocabulary/specification.ts";
import { resolveWorkload, type ResolvedWorkload } from "./inputs.ts";
import type { DefinitionFacts, TensorReader, TraceSource } from "./source.ts";
import { taskText } from "./task.ts";

/** Python files that every imported problem contains. */
export type TraceProblemFiles = Record<"reference.py" | "adapter.py", string>;

/** Largest case of a CPU, in bytes of inputs and outputs, and the number of its cases: sizes are those of accelerators. */
export const CPU_CASE_BYTES = 256 * 2 ** 20;
export const CPU_CASES = 8;

export interface TraceProblem {
  /** Name of the problem: that of the definition, in lower case. */
  name: string;
  files: Record<string, string>;
  /** Workloads that are cases of no target, with the reason. */
  leftOut: { uuid: string; why: string }[];
}

export interface TraceImport {
  facts: DefinitionFacts;
  read: TensorReader;
  runtime: TraceProblemFiles;
  targets: readonly string[];
  /** Whether a workload with faults becomes no case, instead of a fault of its definition. */
  partial: boolean;
}

/**
 * Returns the name of the problem of a definition: lower case, with `-` for what a problem's name cannot have.
 * @example traceProblemName("gemm_bf16.N4096")   // "gemm_bf16-n4096"
 */
export function traceProblemName(definition: string): string {
  const name = definition.toLowerCase().replace(/[^a-z0-9_-]+/g, "-");
  return name.replace(/^[-_]+/, "").slice(0, 95) || "definition";
}

/** Converts a definition. Returns null after adding a fault for each reason. */
export function traceProblem(source: TraceSource, options: TraceImport, faults: TraceFault[]): TraceProblem | null {
  const before = faults.length;
  const { definition, file, text } = source;
  checkDefinition(source, options, faults);
  const leftOut = new Map<string, string>();
  const fitting = source.workloads.flatMap((each) => {
    const own: TraceFault[] = [];
    const resolved = resolveWorkload(source, each, options.read, own);
    const [first] = own;
    if (first !== undefined && !options.partial) faults.push(...own);
    leftOut.set(each.workload.uuid, first === undefined ? (resolved?.tooLarge ?? "") : `${first.field}: ${first.what}`);
    return resolved?.tooLarge === null ? [resolved] : [];
  });
  if (faults.length > before) return null;
  const cases: Record<string, ResolvedWorkload[]> = {};
  for (const target of options.targets) {
    cases[target] = isCpu(target) ? casesForCpu(fitting, leftOut) : fitting;
    if (!cases[target].some(({ isFresh }) => isFresh)) {
      const what = cases[target].length > 0 ? FIXED : [...leftOut.values()].find((why) => why !== "");
      faults.push({ file, field: "workloads", what: `none can be timed on ${target}: ${what}` });
    }
  }
  const chosen = new Set(Object.values(cases).flat());
  for (const each of chosen) leftOut.delete(each.source.workload.uuid);
  if (faults.length > before) return null;
  const list = [...leftOut].map(([uuid, why]) => ({ uuid, why }));
  const files: Record<string, string> = {
    "task.yml": taskText(source, cases, list),
    "definition.json": text,
    "workloads.jsonl": source.workloads.map((each) => `${each.text}\n`).join(""),
    "cases.json": `${JSON.stringify(caseTable(source, chosen), null, 1)}\n`,
    "definition.py": definition.reference,
    ...exampleFiles(definition),
    ...options.runtime,
  };
  for (const { contents } of chosen) for (const [name, content] of contents) files[name] = content;
  for (const [name, content] of Object.entries(files)) {
    if (content.length > MAX_PROBLEM_FILE_BYTES)
      faults.push({
        file,
        field: "",
        what: `its ${name} has more than ${MAX_PROBLEM_FILE_BYTES} bytes, the maximum of a problem file`,
      });
  }
  return faults.length > before ? null : { name: traceProblemName(definition.name), files, leftOut: list };
}

const FIXED = "every tensor comes from a file, so a kernel could repeat an earlier answer";

function isCpu(target: string): boolean {
  return target === "cpu" || target.startsWith("cpu-");
}

/** Chooses the smallest workloads that fit, and records why the others are left out. */
function casesForCpu(workloads: readonly ResolvedWorkload[], leftOut: Map<string, string>): ResolvedWorkload[] {
  const uuidOf = ({ source }: ResolvedWorkload): string => source.workload.uuid;
  const bySize = workloads.toSorted((one, other) => one.bytes - other.bytes || (uuidOf(one) < uuidOf(other) ? -1 : 1));
  const small = bySize.filter(({ bytes }) => bytes <= CPU_CASE_BYTES);
  for (const each of bySize.slice(small.length)) leftOut.set(uuidOf(each), tooLargeForCpu(each));
  // A fixed case is not timed, so that one that is must be among them.
  const first = small.find(({ isFresh }) => isFresh);
  const rest = small.filter((each) => each !== first);
  const chosen = (first === undefined ? rest : [first, ...rest]).slice(0, CPU_CASES);
  for (const each of small.filter((one) => !chosen.includes(one)))
    leftOut.set(uuidOf(each), `a CPU gets the ${CPU_CASES} smallest workloads`);
  return chosen;
}

function tooLargeForCpu({ bytes }: ResolvedWorkload): string {
  return `the tensors have ${bytes} bytes; at most ${CPU_CASE_BYTES} on a CPU`;
}

/** What the reference needs of each workload, by its uuid. */
function caseTable({ workloads }: TraceSource, chosen: ReadonlySet<ResolvedWorkload>): Record<string, unknown> {
  const lines = new Map(workloads.map((each, line) => [each, line]));
  return Object.fromEntries(
    [...chosen].map(({ source, axes, files }) => [
      source.workload.uuid,
      { line: lines.get(source), form: source.form, axes: Object.fromEntries(axes), tensors: files },
    ]),
  );
}
