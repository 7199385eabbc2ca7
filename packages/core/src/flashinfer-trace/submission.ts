/**
 * Translates between a solution and a submission: one Python file with directives. A solution with one Python source is
 * that source; of others, the file has the sources as texts. The adapter of an imported problem runs both.
 *
 *     #!KERNELBOT board scale_rows_k256
 *     #!KERNELBOT solution {"name": "scale_rows_v1", ...}
 */
import { KernelBotError, quote } from "../errors.ts";
import { readDirectives } from "../submission/directives.ts";
import { formatTraceFault, parseDocument, parseJson, type TraceFault } from "./faults.ts";
import { traceProblemName } from "./problem.ts";
import { runsAs, Solution } from "./solution.ts";

/** First line of the texts of a solution with several sources. */
const SOURCES = "SOURCES = {";

/** Everything of a solution but its sources. */
type SolutionHead = Omit<Solution, "sources"> & { path?: string };

/**
 * Returns the submission of a solution.
 * @throws KernelBotError `unprocessable` if the judge cannot build it.
 */
export function solutionToSubmission({ sources, ...about }: Solution): string {
  const { spec, definition } = about;
  if (runsAs(spec) === "cpp" && spec.binding !== "torch") {
    const what = "spec.binding: tvm-ffi cannot be built by the judge, and null means tvm-ffi; use torch";
    throw new KernelBotError("unprocessable", `solution ${quote(about.name)}: ${what}`);
  }
  const [only] = sources;
  const isPlain =
    sources.length === 1 && runsAs(spec) === "python" && only !== undefined && isPlainSource(only.content);
  const head: SolutionHead = isPlain ? { ...about, path: only.path } : about;
  return [
    `#!KERNELBOT board ${traceProblemName(definition)}`,
    `#!KERNELBOT solution ${JSON.stringify(head)}`,
    ...(isPlain ? [only.content] : [SOURCES, ...sources.flatMap(literal), "}", ""]),
  ].join("\n");
}

/**
 * Returns a submitted file; a solution, `NAME.json`, as the submission `NAME.py`.
 * @throws KernelBotError `unprocessable` that names each faulty field
 */
export function submittedFile<T extends { fileName: string; source: string }>(file: T): T {
  if (!file.fileName.endsWith(".json")) return file;
  const faults: TraceFault[] = [];
  const value = parseJson(file.source, file.fileName, faults);
  const solution = value === undefined ? null : parseDocument(Solution, value, file.fileName, faults);
  if (solution === null) throw new KernelBotError("unprocessable", faults.map(formatTraceFault).join("; "));
  return { ...file, fileName: `${file.fileName.slice(0, -".json".length)}.py`, source: solutionToSubmission(solution) };
}

/** Whether a source keeps its meaning after the directives. */
function isPlainSource(source: string): boolean {
  return Object.keys(readDirectives(source)).length === 0 && !source.startsWith("#!") && !source.startsWith("\uFEFF");
}

/** Lines of a Python dictionary's item: the path, and the content as one string literal per line. */
function literal({ path, content }: Solution["sources"][number]): string[] {
  const lines = content.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  return [`    ${JSON.stringify(path)}: (`, ...lines.map((line) => `        ${JSON.stringify(line)}`), "    ),"];
}

/**
 * Returns the solution of a submission that was made of one, or of one of the caller's own with the directive.
 * @throws KernelBotError `unprocessable` that names the field.
 */
export function solutionFromSubmission(source: string, fileName: string): Solution {
  const refused = (what: string) => new KernelBotError("unprocessable", `${quote(fileName)}: ${what}`);
  const { solution: text } = readDirectives(source);
  if (text === undefined)
    throw refused('it has no directive "#!KERNELBOT solution" with name, definition, author and spec as JSON');
  const faults: TraceFault[] = [];
  const head = parseJson(text, `${fileName}: directive solution`, faults);
  if (typeof head !== "object" || head === null) throw refused("the directive solution is not a JSON object");
  const { path, ...about } = head as Record<string, unknown>;
  const body = source.split("\n").filter((line) => !/^#!\s*KERNELBOT\s+(?:solution|board)\s/i.test(line));
  const sources = body[0] === SOURCES ? sourcesIn(body.slice(1), refused) : [{ path, content: body.join("\n") }];
  const solution = parseDocument(Solution, { ...about, sources }, fileName, faults);
  if (solution === null) throw new KernelBotError("unprocessable", faults.map(formatTraceFault).join("; "));
  return solution;
}

/** Parses the lines that `literal` writes. */
function sourcesIn(lines: readonly string[], refused: (what: string) => KernelBotError): Solution["sources"] {
  const sources: Solution["sources"] = [];
  for (const [index, line] of lines.entries()) {
    const [, path, text] = /^(?: {4}("(?:[^"\\]|\\.)*"): \(| {8}("(?:[^"\\]|\\.)*"))$/.exec(line) ?? [];
    const last = sources.at(-1);
    if (path !== undefined) sources.push({ path: JSON.parse(path) as string, content: "" });
    else if (text !== undefined && last !== undefined) last.content += JSON.parse(text) as string;
    else if (!["    ),", "}", ""].includes(line)) throw refused(`line ${index + 4} is not part of SOURCES`);
  }
  return sources;
}
