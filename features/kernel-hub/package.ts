/** Python package of a kernel, for a pull request to another project: kernel, reference and tests. */
import { markdownCode } from "@kernelbot/core";
import { stringify } from "smol-toml";
import { cardText, receiptFiles } from "./card.ts";
import { cppModule } from "./cpp-module.ts";
import { bindingText, cppSources } from "@kernelbot/cli/src/kernel-export/cpp-sources.ts";
import type { Entry } from "@kernelbot/cli/src/kernel-export/entry.ts";
import { licenceText } from "@kernelbot/cli/src/kernel-export/licence-text.ts";
import type { KernelNames } from "@kernelbot/cli/src/kernel-export/names.ts";
import { parametersOf, signatureOf } from "@kernelbot/cli/src/kernel-export/parameters.ts";
import { DISTRIBUTIONS, pythonModule } from "@kernelbot/cli/src/kernel-export/python-module.ts";
import { pythonNotes } from "./universal.ts";
import { cppNotes } from "./source-repository.ts";
import { testFiles } from "./tests.ts";

/** Part of a package that depends on the kernel's language. */
interface Content {
  files: Map<string, string>;
  /** Names of the parameters; null if the function takes the whole input. */
  parameters: string[] | null;
  dependencies: string[];
  notes: string[];
  install: string;
}

/**
 * Returns the files of the package by path.
 * @param header Text of `kernelbot.h`, which kernels in C++ include.
 */
export function pythonPackage(entry: Entry, names: KernelNames, header: string): Map<string, string> {
  const { licence, receipt, submission, problem, backend, language } = entry;
  const content = language === "py" ? pythonContent(entry, names) : cppContent(entry, names, header);
  const signature = signatureOf(names.python, content.parameters);
  const card = cardText(entry, {
    names,
    signature,
    usage: `${markdownCode("sh", content.install)}\n\n${markdownCode("python", `from ${names.python} import ${names.python}\n\n${signature}`)}`,
    notes: content.notes,
    testCommand: "python tests/test_kernel.py",
  });
  return new Map([
    ["README.md", card],
    ["LICENSE", licenceText(licence, receipt.account.name, submission.createdAt.slice(0, 4))],
    ["pyproject.toml", projectFile(entry, names, content.dependencies)],
    ...content.files,
    ...receiptFiles(entry),
    ...testFiles(problem, receipt.target, {
      load: `sys.path.insert(0, str(FOLDER.parent / "src"))\n\nimport ${names.python} as kernel  # noqa: E402`,
      functionName: names.python,
      takesValues: content.parameters !== null,
      device: backend.device,
    }),
  ]);
}

function pythonContent(entry: Entry, names: KernelNames): Content {
  const module = pythonModule(entry, names);
  return {
    files: new Map([...module.files].map(([name, text]) => [`src/${names.python}/${name}`, text])),
    parameters: parametersOf(entry.problem),
    dependencies: module.packages.flatMap((name) => DISTRIBUTIONS[name]?.install ?? []),
    notes: pythonNotes(module, entry.source),
    install: "pip install .",
  };
}

function cppContent(entry: Entry, names: KernelNames, header: string): Content {
  const sources = cppSources(entry, header);
  const isCpu = entry.backend.type === "cpu";
  const binding = "csrc/binding.cpp";
  const extension = isCpu ? "CppExtension" : "CUDAExtension";
  const flags = JSON.stringify(isCpu ? [...sources.flags, "-fopenmp"] : sources.flags);
  const setup = `"""Builds the kernel with the compiler of this machine: pip install --no-build-isolation ."""

from pathlib import Path

from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, ${extension}

SOURCES = Path(__file__).resolve().parent / "csrc"
FLAGS = ${flags}

setup(
    ext_modules=[
        ${extension}(
            "${names.python}._binding",
            ["${sources.kernel}", "${binding}"],
            include_dirs=[str(SOURCES)],
            extra_compile_args=${isCpu ? "FLAGS" : '{"cxx": ["-std=c++20", "-O3"], "nvcc": FLAGS}'},
        )
    ],
    cmdclass={"build_ext": BuildExtension},
)
`;
  return {
    files: new Map([
      ["setup.py", setup],
      ...sources.files,
      [binding, bindingText(sources, names, entry.backend, "function")],
      [`src/${names.python}/__init__.py`, cppModule(sources, names, "function")],
    ]),
    parameters: sources.parameters.map(({ name }) => name),
    dependencies: [],
    notes: [
      ...cppNotes(entry, sources),
      "Before its tests, build the package in place: `python setup.py build_ext --inplace`.",
    ],
    install: "pip install --no-build-isolation .",
  };
}

function projectFile({ licence, problem }: Entry, { hub }: KernelNames, dependencies: readonly string[]): string {
  return stringify({
    "build-system": { requires: ["setuptools>=61"], "build-backend": "setuptools.build_meta" },
    project: {
      name: hub,
      version: "1.0.0",
      description: `Kernel of the problem ${problem.spec.name}, judged by KernelBot`,
      readme: "README.md",
      "requires-python": ">=3.9",
      license: { text: licence },
      dependencies: ["torch", ...dependencies],
    },
    tool: { setuptools: { "package-dir": { "": "src" }, packages: { find: { where: ["src"] } } } },
  });
}
