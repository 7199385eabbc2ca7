import type { CppSources, Registration } from "@kernelbot/cli/src/kernel-export/cpp-sources.ts";
import type { KernelNames } from "@kernelbot/cli/src/kernel-export/names.ts";

/** Returns the Python module that calls the binding. */
export function cppModule(
  { parameters, outputs }: CppSources,
  { hub, python }: KernelNames,
  registration: Registration,
): string {
  const names = parameters.map(({ name }) => name).join(", ");
  const buffers = outputs.length === 1 ? "the output buffer" : "the output buffers";
  return `"""${hub}: a kernel that was judged and exported by KernelBot. README.md has its figures."""

${registration === "operator" ? "from ._ops import ops as _binding" : "import torch  # noqa: F401  The binding needs PyTorch's libraries.\n\nfrom . import _binding"}

__all__ = ["${python}"]


def ${python}(${names}):
    """Computes the result into ${buffers} ${outputs.join(", ")}, and returns ${outputs.length === 1 ? "it" : "them"}."""
    _binding.${python}(${names})
    return ${outputs.join(", ")}
`;
}
