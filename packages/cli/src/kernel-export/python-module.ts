/** Python files of an exported kernel: its source with relative imports, and the module that calls it. */
import { UsageError } from "../command/exit.ts";
import { listed } from "../output/text.ts";
import type { Entry } from "./entry.ts";
import type { KernelNames } from "./names.ts";
import { parametersOf, signatureOf } from "./parameters.ts";
import { importedModules, reachableModules, STANDARD_LIBRARY, withRelativeImports } from "./python-imports.ts";

export interface PythonModule {
  /** Contents by file name, `__init__.py` among them. */
  files: Map<string, string>;
  /** Modules that the files import from other packages, apart from `torch`. */
  packages: string[];
  /** Whether importing the kernel compiles C++ or CUDA. */
  compilesAtImport: boolean;
}

/** How the public function is called. */
interface PythonCall {
  /** Names of its parameters; null if it takes the whole input. */
  parameters: string[] | null;
  /** Whether it returns the output buffers. */
  returns: boolean;
}

/** Files of a problem that a submission may import, as the judge gives them to it. */
const VISIBLE = ["task", "utils"];

/** Module that replaces the kernel's function by another one that calls it. */
const ADAPTER = "adapter";

/** Returns the Python files of an entry. @throws UsageError if it imports something that cannot be installed by name. */
export function pythonModule(
  { problem, source, submission }: Entry,
  names: KernelNames,
  call: PythonCall = { parameters: parametersOf(problem), returns: true },
): PythonModule {
  const visible = new Map(
    VISIBLE.flatMap((name) => {
      const text = problem.files[`${name}.py`];
      return text === undefined ? [] : [[name, text] as const];
    }),
  );
  const adapter = problem.files[`${ADAPTER}.py`];
  const modules = new Map([["kernel", source], ...(adapter === undefined ? [] : [[ADAPTER, adapter] as const])]);
  for (const text of [source, adapter ?? ""]) {
    for (const [name, found] of reachableModules(text, visible)) modules.set(name, found);
  }
  const renamed = new Map([["submission", "kernel"], ...[...modules.keys()].map((name) => [name, name] as const)]);
  renamed.delete("kernel");
  const imported = new Set([...modules.values()].flatMap((text) => [...importedModules(text)]));
  const packages = [...imported].filter(
    (name) => !renamed.has(name) && !STANDARD_LIBRARY.has(name) && name !== "torch",
  );
  const unknown = packages.filter((name) => DISTRIBUTIONS[name] === undefined);
  if (unknown.length > 0) {
    throw new UsageError(
      `submission ${submission.id} cannot be exported: it imports ${listed(unknown)}, and only ${listed(Object.keys(DISTRIBUTIONS))} are known, apart from PyTorch and the standard library`,
    );
  }
  const files = new Map([...modules].map(([name, text]) => [`${name}.py`, withRelativeImports(text, renamed)]));
  files.set("__init__.py", wrapper(problem.spec.outputs, names, call, adapter === undefined ? "kernel" : ADAPTER));
  return { files, packages, compilesAtImport: /\bload_inline\b|\bcpp_extension\b/.test(source) };
}

/** Packages from which a kernel may import, by module: the name to install, and the Hub's name where it allows them. */
export const DISTRIBUTIONS: Readonly<Record<string, { install: string; hub: string | null }>> = {
  triton: { install: "triton", hub: "" },
  einops: { install: "einops", hub: "einops" },
  helion: { install: "helion", hub: "helion" },
  cutlass: { install: "nvidia-cutlass-dsl", hub: "nvidia-cutlass-dsl" },
  numpy: { install: "numpy", hub: null },
  scipy: { install: "scipy", hub: null },
  numba: { install: "numba", hub: null },
};

/** Returns the module that defines the public function: it calls the kernel, and puts its result into the buffers. */
function wrapper(
  outputs: number,
  { hub, python }: KernelNames,
  { parameters, returns }: PythonCall,
  module: string,
): string {
  const buffers = outputs === 1 ? "the output buffer" : `the ${outputs} output buffers`;
  const last = outputs === 1 ? "The last tensor is" : `The last ${outputs} tensors are`;
  const pack = parameters === null ? "" : `    data = (${parameters.join(", ")},)\n`;
  return `"""${hub}: a kernel that was judged and exported by KernelBot. README.md has its figures."""

import torch

from .${module} import custom_kernel as _custom_kernel

__all__ = ["${python}"]

_OUTPUTS = ${outputs}


def ${signatureOf(python, parameters)}:
    """Computes the result into ${buffers}${returns ? ` and returns ${outputs === 1 ? "it" : "them"}` : ""}. ${last} ${buffers}."""
${pack}    buffers = _tensors(data)[-_OUTPUTS:]
    result = _custom_kernel(data)
    if result is not None:
        results = list(result) if isinstance(result, (tuple, list)) else [result]
        if len(results) != len(buffers):
            raise ValueError(f"the kernel returned {len(results)} results, and {len(buffers)} buffers are given")
        for buffer, value in zip(buffers, results):
            # A kernel may keep what it returns; the caller's buffer is the caller's own.
            if value is not buffer:
                buffer.copy_(value)
${returns ? "    return buffers[0] if _OUTPUTS == 1 else tuple(buffers)\n" : ""}

def _tensors(value):
    if isinstance(value, torch.Tensor):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, (tuple, list)) else ()
    return [tensor for item in inner for tensor in _tensors(item)]
`;
}
