/**
 * Reads the documents of a FlashInfer Trace data set: definitions and workloads at any depth of a folder. Paths have no
 * meaning, except that workloads without the name of a definition belong to the definition in their folder.
 */
import { readdir, readFile } from "node:fs/promises";
import { dirname, join, posix } from "node:path";
import { parseDocument, parseJson, pathName, Trace, TraceDefinition, Workload } from "@kernelbot/core";
import type { TraceFault, TraceSource, TraceWorkload } from "@kernelbot/core";
import { UsageError } from "../command/exit.ts";

/** Folders at the root that have neither definitions nor workloads. */
const OTHER_FOLDERS = new Set(["solutions", "traces", "reports", "blob"]);

/** Workload and the name of its definition; null where the folder name determines it. */
type NamedWorkload = TraceWorkload & { definition: string | null };

/** Reads all definitions with their workloads, in the order of their names. Adds a fault for each faulty field. */
export async function readDataSet(folder: string, faults: TraceFault[]): Promise<TraceSource[]> {
  const paths = await documentPaths(folder);
  const sources = new Map<string, TraceSource>();
  const byFolder = new Map<string, TraceSource[]>();
  for (const file of paths.filter((path) => path.endsWith(".json"))) {
    const source = await readDefinition(folder, file, faults);
    if (source === null) continue;
    const other = sources.get(source.definition.name);
    if (other !== undefined) {
      faults.push({ file, field: "name", what: `is also the name of ${other.file}` });
      continue;
    }
    sources.set(source.definition.name, source);
    byFolder.set(dirname(file), [...(byFolder.get(dirname(file)) ?? []), source]);
  }
  const named = new Map(
    [...sources].flatMap(([name, source]) => [[pathName(name), source] as const, [name, source] as const]),
  );
  for (const file of paths.filter((path) => path.endsWith(".jsonl"))) {
    const [only, ...others] = byFolder.get(dirname(file)) ?? [];
    const own = others.length === 0 ? only : undefined;
    for (const { definition, ...workload } of await readWorkloads(folder, file, faults)) {
      const source = definition === null ? (own ?? named.get(posix.basename(file, ".jsonl"))) : sources.get(definition);
      const field = definition === null ? "" : "definition";
      const name = definition === null ? "of its folder or its file's name" : JSON.stringify(definition);
      if (source === undefined)
        faults.push({ file: workload.file, field, what: `the definition ${name} is missing or invalid` });
      else source.workloads.push(workload);
    }
  }
  if (sources.size === 0 && faults.length === 0)
    throw new UsageError(`${JSON.stringify(folder)} has no FlashInfer Trace definition`);
  return [...sources.values()].toSorted((one, other) => (one.definition.name < other.definition.name ? -1 : 1));
}

/** Returns the paths of all JSON and JSONL files, with `/`, sorted. */
async function documentPaths(folder: string): Promise<string[]> {
  const walk = async (inner: string): Promise<string[]> => {
    const entries = await readdir(join(folder, inner), { withFileTypes: true }).catch((error: unknown) => {
      throw new UsageError(`${JSON.stringify(folder)} cannot be read: ${(error as Error).message}`, { cause: error });
    });
    const visible = entries.filter(({ name }) => !name.startsWith(".") && !(inner === "" && OTHER_FOLDERS.has(name)));
    const paths = visible.map(async (entry) => {
      const path = posix.join(inner, entry.name);
      if (entry.isDirectory()) return walk(path);
      return entry.isFile() && /\.jsonl?$/.test(entry.name) ? [path] : [];
    });
    return (await Promise.all(paths)).flat();
  };
  return (await walk("")).toSorted();
}

/** Reads a JSON file; null if it is another document, such as a solution, or invalid. */
async function readDefinition(folder: string, file: string, faults: TraceFault[]): Promise<TraceSource | null> {
  const text = await readFile(join(folder, file), "utf8");
  const value = parseJson(text, file, faults);
  const isOther =
    typeof value !== "object" ||
    value === null ||
    !["axes", "inputs", "outputs", "reference"].some((key) => key in value);
  if (isOther) return null;
  const definition = parseDocument(TraceDefinition, value, file, faults);
  return definition === null ? null : { file, text, definition, workloads: [] };
}

/** Reads a JSONL file: traces without result, or bare workloads. Traces with a result are skipped. */
async function readWorkloads(folder: string, file: string, faults: TraceFault[]): Promise<NamedWorkload[]> {
  const lines = (await readFile(join(folder, file), "utf8")).split("\n");
  return lines.flatMap((line, index): NamedWorkload[] => {
    const place = `${file}:${index + 1}`;
    const text = line.trim();
    if (text === "") return [];
    const value = parseJson(text, place, faults);
    if (value === undefined) return [];
    if (typeof value === "object" && value !== null && "workload" in value) {
      const trace = parseDocument(Trace, value, place, faults);
      if (trace === null || trace.evaluation != null) return [];
      return [{ file: place, text, workload: trace.workload, form: "trace", definition: trace.definition }];
    }
    const workload = parseDocument(Workload, value, place, faults);
    return workload === null ? [] : [{ file: place, text, workload, form: "bare", definition: null }];
  });
}
