/** Solution of an entry: its sources, with a function `run` that has the inputs and the output buffers as parameters. */
import { pathName, readDirectives, runsAs, Solution, solutionFromSubmission, type SolutionSpec } from "@kernelbot/core";
import { bindingText, cppSources } from "@kernelbot/cli/src/kernel-export/cpp-sources.ts";
import type { Entry } from "@kernelbot/cli/src/kernel-export/entry.ts";
import { DISTRIBUTIONS, pythonModule } from "@kernelbot/cli/src/kernel-export/python-module.ts";
import { isImportedDefinition, type ProblemDocuments } from "./own-documents.ts";

type Content = Pick<Solution, "sources"> & { spec: Omit<SolutionSpec, "target_hardware"> };

/**
 * Returns the solution of an entry.
 * @param header Text of `kernelbot.h`, which kernels in C++ include.
 * @throws UsageError if the source imports something that is not known
 */
export function exportedSolution(entry: Entry, documents: ProblemDocuments, header: string): Solution {
  const { receipt, submission, licence, row, server } = entry;
  const author = authorName(receipt.account.name);
  const { name: definition } = documents.definition;
  const { sources, spec } = contentOf(entry, documents, header);
  return Solution.parse({
    name: `${pathName(definition).slice(0, 80)}-${author.slice(0, 40)}-${submission.id}`,
    definition,
    author,
    description: `Submission ${submission.id} (${receipt.fileName}) of ${receipt.account.name} on ${server}, rank ${row.rank} of ${receipt.board} on ${receipt.target}. Licence: ${licence}.`,
    spec: { ...spec, target_hardware: hardwareOf(entry) },
    // An empty source is refused by readers.
    sources: sources.map(({ path, content }) => ({ path, content: content === "" ? "\n" : content })),
  });
}

/** Author name that is a part of a path. `baseline` has a meaning of its own: the yardstick of scores. */
function authorName(account: string): string {
  const name = pathName(account);
  return name === "baseline" ? "baseline-account" : name;
}

function contentOf(entry: Entry, documents: ProblemDocuments, header: string): Content {
  const { problem, source, language } = entry;
  // The adapter of an imported problem prefers custom_kernel to the entry point of a solution.
  const isSolution = readDirectives(source).solution !== undefined && !/^(?:async )?def custom_kernel\b/m.test(source);
  if (isImportedDefinition(problem) && isSolution)
    return givenContent(solutionFromSubmission(source, entry.receipt.fileName));
  return language === "py" ? pythonContent(entry, documents) : cppContent(entry, header);
}

/** Content of a submitted solution, with the language that flashinfer-bench has for it. */
function givenContent({ spec, sources }: Solution): Content {
  const { languages, target_hardware: _, ...rest } = spec;
  const own = spec.language ?? languages?.[0] ?? "python";
  const language = ["python", "triton", "cpp", "cuda", "tilelang"].includes(own)
    ? own
    : runsAs(spec) === "python"
      ? "python"
      : "cuda";
  return { sources, spec: { ...rest, language } };
}

function pythonContent(entry: Entry, { definition }: ProblemDocuments): Content {
  const parameters = [...Object.keys(definition.inputs), ...Object.keys(definition.outputs)];
  const names = { hub: definition.name, python: "run" };
  const { files, packages } = pythonModule(entry, names, { parameters, returns: false });
  const sources = [...files].map(([name, content]) => ({ path: name === "__init__.py" ? "main.py" : name, content }));
  const dependencies = ["torch", ...packages.flatMap((name) => DISTRIBUTIONS[name]?.install ?? [])];
  const language = packages.includes("triton") ? "triton" : "python";
  return { sources, spec: { language, entry_point: "main.py::run", dependencies, destination_passing_style: true } };
}

function cppContent(entry: Entry, header: string): Content {
  const found = cppSources(entry, header);
  const names = { hub: entry.problem.spec.name, python: "run" };
  const binding = bindingText(found, names, entry.backend, "function");
  const isCpu = entry.backend.type === "cpu";
  return {
    sources: [...found.files, ["csrc/binding.cpp", binding] as const].map(([path, content]) => ({
      path,
      content: withQuotedIncludes(content, found.headers),
    })),
    spec: {
      language: isCpu ? "cpp" : "cuda",
      binding: "torch",
      entry_point: "csrc/binding.cpp::run",
      dependencies: ["torch"],
      destination_passing_style: true,
      compile_options: {
        cflags: isCpu ? [...found.flags, "-fopenmp"] : ["-std=c++20", "-O3"],
        cuda_cflags: isCpu ? [] : found.flags,
        ld_flags: [],
      },
    },
  };
}

/** Returns C++ code that finds these headers next to it: builds of solutions have no folder of headers. */
function withQuotedIncludes(code: string, headers: readonly string[]): string {
  const names = new Set(headers.map((path) => path.replace("csrc/", "")));
  return code.replaceAll(/(#\s*include\s*)<([^>\n]+)>/g, (text, start: string, name: string) =>
    names.has(name) ? `${start}"${name}"` : text,
  );
}

/** Device by kind, by architecture (`sm90`) and as its driver names it. */
function hardwareOf({ backend, receipt }: Entry): string[] {
  if (backend.device === "cpu") return ["cpu"];
  const architectures = backend.archs.map((name) => (backend.type === "cuda" ? `sm${name.replace(".", "")}` : name));
  const models = receipt.machine.accelerators.map(({ model }) => model).filter((model) => model !== "");
  return [...new Set([backend.type, ...architectures, ...models])];
}
