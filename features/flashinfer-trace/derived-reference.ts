/** Code of the reference of a definition that is derived from a problem: a function `run` that calls the problem's own. */
import type { Problem, TraceDefinition } from "@kernelbot/core";
import { sourcesImporter } from "@kernelbot/cli/src/kernel-export/sources-importer.ts";

/** Name of the module of the reference: the judge has a module of its own called `reference`. */
const REFERENCE = "problem_reference";

/** Returns the code. It contains the problem's files, since a definition is one document. */
export function derivedReference(
  problem: Problem,
  { axes, inputs, outputs }: Pick<TraceDefinition, "axes" | "inputs" | "outputs">,
): string {
  const tensors = Object.entries(inputs).filter(([, { shape }]) => shape !== null);
  const sizeOf = (axis: string): string => {
    const found = axes[axis];
    if (found?.type === "const") return String(found.value);
    const [name = "", tensor] = tensors.find(([, { shape }]) => shape?.includes(axis)) ?? [];
    return `${name}.shape[${tensor?.shape?.indexOf(axis) ?? 0}]`;
  };
  const device = `${tensors[0]?.[0] ?? ""}.device`;
  const buffers = Object.values(outputs).map(
    ({ shape, dtype }) =>
      `        torch.empty([${(shape ?? []).map(sizeOf).join(", ")}], dtype=torch.${dtype}, device=${device}),\n`,
  );
  const names = Object.keys(inputs);
  return `"""Reference of the problem ${problem.spec.name}. Its files are below, as the judge has them."""

import importlib
import importlib.abc
import importlib.util
import sys

import torch

${sourcesImporter(problem, REFERENCE)}

def load():
    """Returns the module of the reference. Other modules of the same names stay as they are."""
    finder = Sources()
    others = {name: sys.modules.pop(name) for name in SOURCES if name in sys.modules}
    sys.meta_path.insert(0, finder)
    try:
        return importlib.import_module("${REFERENCE}")
    finally:
        sys.meta_path.remove(finder)
        for name in SOURCES:
            sys.modules.pop(name, None)
        sys.modules.update(others)


REFERENCE = load()


@torch.no_grad()
def run(${names.join(", ")}):
    """Returns the outputs of the problem's reference."""
    buffers = (
${buffers.join("")}    )
    result = REFERENCE.ref_kernel((${names.join(", ")}, *buffers))
    result = buffers if result is None else result
    return tuple(result) if isinstance(result, (tuple, list)) else result
`;
}
