/** Source repository of a kernel in C++ or CUDA, from which the Hub's builder makes the builds that its loader accepts. */
import { markdownCode } from "@kernelbot/core";
import { stringify } from "smol-toml";
import { benchmarkScript } from "./benchmark-script.ts";
import { cardText, frontMatter, hubUsage, receiptFiles } from "./card.ts";
import { cppModule } from "./cpp-module.ts";
import { bindingText, cppSources, type CppSources } from "@kernelbot/cli/src/kernel-export/cpp-sources.ts";
import type { Entry } from "@kernelbot/cli/src/kernel-export/entry.ts";
import { licenceText } from "@kernelbot/cli/src/kernel-export/licence-text.ts";
import type { KernelNames } from "@kernelbot/cli/src/kernel-export/names.ts";
import { signatureOf } from "@kernelbot/cli/src/kernel-export/parameters.ts";
import { testFiles } from "./tests.ts";

/**
 * Returns the files of the repository by path.
 * @param header Text of `kernelbot.h`, which the kernel includes.
 */
export function sourceRepository(
  entry: Entry,
  names: KernelNames,
  version: number,
  header: string,
): Map<string, string> {
  const { licence, receipt, submission, problem, backend } = entry;
  const sources = cppSources(entry, header);
  const signature = signatureOf(
    names.python,
    sources.parameters.map(({ name }) => name),
  );
  const card = cardText(entry, {
    names,
    signature,
    usage: hubUsage(signature, version),
    notes: cppNotes(entry, sources),
    testCommand: "python tests/test_kernel.py",
  });
  const build = `This is the source of the kernel. Builds are made with the Hub's builder, which needs Nix:\n\n${markdownCode("sh", "kernel-builder build-and-copy -L")}\n\nThe tests run in the shell of \`kernel-builder testshell\`.`;
  const kernel = {
    load: `import ${names.python} as kernel  # noqa: E402`,
    functionName: names.python,
    takesValues: true,
    device: backend.device,
  };
  return new Map([
    ["README.md", `${frontMatter(licence)}\n${card}\n## Build\n\n${build}\n`],
    // A template of Jinja, which must not interpret the problem's text.
    ["CARD.md", `${frontMatter(licence)}\n{% raw %}\n${card}{% endraw %}\n`],
    ["LICENSE", licenceText(licence, receipt.account.name, submission.createdAt.slice(0, 4))],
    ["build.toml", buildFile(entry, names, version, sources)],
    ["flake.nix", flake(names)],
    ...sources.files,
    [BINDING, bindingText(sources, names, backend, "operator")],
    [`torch-ext/${names.python}/__init__.py`, cppModule(sources, names, "operator")],
    ...receiptFiles(entry),
    ["benchmarks/benchmark.py", benchmarkScript(problem, receipt.target, kernel)],
    ...testFiles(problem, receipt.target, kernel),
  ]);
}

const BINDING = "torch-ext/torch_binding.cpp";

/** Returns what users of a kernel in C++ or CUDA have to know. */
export function cppNotes({ backend }: Entry, { flags }: CppSources): string[] {
  const native = backend.type === "cpu" ? " and `-march=native -fopenmp`" : "";
  return [
    `The judge compiled the kernel with \`${flags.join(" ")}\`${native}. Other flags may make it slower.`,
    ...(backend.type === "cpu"
      ? []
      : ["The kernel launches on the stream that its source names, which need not be PyTorch's current stream."]),
  ];
}

function buildFile(
  { licence, backend }: Entry,
  { hub, python }: KernelNames,
  version: number,
  sources: CppSources,
): string {
  const { kernel, headers, flags } = sources;
  const isCpu = backend.type === "cpu";
  return stringify({
    general: { name: hub, version, edition: 5, license: licence.toLowerCase(), backends: [backend.type] },
    torch: { src: [BINDING, ...headers], include: ["csrc"] },
    kernel: {
      [python]: {
        backend: backend.type,
        depends: ["torch"],
        src: [kernel, ...headers],
        include: ["csrc"],
        ...(isCpu && { "cxx-flags": [...flags, "-fopenmp"] }),
        ...(backend.type === "cuda" && { "cuda-flags": flags, "cuda-capabilities": backend.archs }),
        ...(backend.type === "rocm" && { "hip-flags": flags, "rocm-archs": backend.archs }),
      },
    },
  });
}

function flake({ hub }: KernelNames): string {
  return `{
  description = "Kernel ${hub}";
  inputs.kernel-builder.url = "github:huggingface/kernels";
  outputs = { self, kernel-builder }:
    kernel-builder.lib.genKernelFlakeOutputs { inherit self; path = ./.; };
}
`;
}
