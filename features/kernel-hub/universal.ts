/**
 * Repository of a kernel in Python that the loader of the Hub accepts as it is: `build/torch-BACKEND` has the kernel,
 * and the rest describes and checks it.
 */
import { UsageError } from "@kernelbot/cli/src/command/exit.ts";
import { listed } from "@kernelbot/cli/src/output/text.ts";
import { benchmarkScript } from "./benchmark-script.ts";
import { cardText, frontMatter, hubUsage, receiptFiles } from "./card.ts";
import type { Entry } from "@kernelbot/cli/src/kernel-export/entry.ts";
import { licenceText } from "@kernelbot/cli/src/kernel-export/licence-text.ts";
import { metadataText } from "./metadata.ts";
import { buildId } from "./names.ts";
import type { KernelNames } from "@kernelbot/cli/src/kernel-export/names.ts";
import { parametersOf, signatureOf } from "@kernelbot/cli/src/kernel-export/parameters.ts";
import { DISTRIBUTIONS, pythonModule, type PythonModule } from "@kernelbot/cli/src/kernel-export/python-module.ts";
import { testFiles } from "./tests.ts";

/** Returns the files of the repository by path. @throws UsageError if the Hub does not allow the kernel's imports. */
export function universalRepository(entry: Entry, names: KernelNames, version: number): Map<string, string> {
  const { backend, licence, problem, receipt, submission } = entry;
  const variant = `torch-${backend.type}`;
  const module = pythonModule(entry, names);
  const refused = module.packages.filter((name) => DISTRIBUTIONS[name]?.hub === null);
  if (refused.length > 0) {
    throw new UsageError(
      `submission ${submission.id} cannot be exported as a Hub kernel: it imports ${listed(refused)}, which the Hub does not allow; use kernelbot export package`,
    );
  }
  const metadata = metadataText(
    {
      name: names.hub,
      id: buildId(names, backend.type, receipt.source.sha256),
      version,
      license: licence.toLowerCase(),
      packages: module.packages.flatMap((name) => DISTRIBUTIONS[name]?.hub || []),
      backend,
    },
    module.files,
  );
  const parameters = parametersOf(problem);
  const signature = signatureOf(names.python, parameters);
  const card = cardText(entry, {
    names,
    signature,
    usage: hubUsage(signature, version),
    notes: pythonNotes(module, entry.source),
    testCommand: "python tests/test_kernel.py",
  });
  const kernel = {
    load: loadBuild(variant),
    functionName: names.python,
    takesValues: parameters !== null,
    device: backend.device,
  };
  return new Map([
    ["README.md", `${frontMatter(licence)}\n${card}`],
    ["LICENSE", licenceText(licence, receipt.account.name, submission.createdAt.slice(0, 4))],
    ...[...module.files].map(([name, text]) => [`build/${variant}/${name}`, text] as const),
    [`build/${variant}/metadata.json`, metadata],
    ...receiptFiles(entry),
    ["benchmarks/benchmark.py", benchmarkScript(problem, receipt.target, kernel)],
    ...testFiles(problem, receipt.target, kernel),
  ]);
}

/** What a source can depend on that differs from machine to machine. */
const SURROUNDINGS: readonly [pattern: RegExp, what: string][] = [
  [/\bos\.(environ|getenv)\b/, "environment variables"],
  [/["']\/(tmp|home|root|usr|opt|dev|proc)\b/, "absolute paths"],
  [/\b__file__\b/, "its own path"],
  [/\bcurrent_device\(/, "the current device"],
];

/** Returns what users of a kernel in Python have to know about its source. */
export function pythonNotes({ compilesAtImport }: PythonModule, source: string): string[] {
  const uses = SURROUNDINGS.flatMap(([pattern, what]) => (pattern.test(source) ? [what] : []));
  const depends =
    uses.length === 0
      ? []
      : [`The source of the kernel uses ${listed(uses)}: read it before you rely on it elsewhere.`];
  if (!compilesAtImport) return depends;
  return [
    ...depends,
    "The kernel compiles C++ or CUDA code when it is loaded: a compiler, `ninja` and, for CUDA, `nvcc` must be installed.",
  ];
}

/** Returns Python code that imports a build as the Hub's loader does: from its path, under its id. */
function loadBuild(variant: string): string {
  return `
def load(folder):
    """Imports a build as the loader of the Hub does: from its path, under its id."""
    name = json.loads((folder / "metadata.json").read_text())["id"]
    spec = importlib.util.spec_from_file_location(name, folder / "__init__.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


kernel = load(FOLDER.parent / "build" / "${variant}")`;
}
