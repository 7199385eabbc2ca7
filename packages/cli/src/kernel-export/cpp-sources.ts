/** Sources of a kernel in C++ or CUDA: the kernel, its headers, and its binding to PyTorch. */
import { join } from "node:path";
import { EXTENSIONS } from "@kernelbot/core";
import { TESTER_DIRECTORY } from "@kernelbot/tester";
import type { Entry } from "./entry.ts";
import type { KernelNames } from "./names.ts";
import { cppParameters, type CppParameter } from "./cpp-signature.ts";

/** The header that kernels in C++ and CUDA include. */
export const HEADER = join(TESTER_DIRECTORY, "kernelbot_tester", "worker", "cpp", "kernelbot.h");

export interface CppSources {
  parameters: CppParameter[];
  /** Names of the output buffers. */
  outputs: string[];
  /** Path of the kernel, and of the headers that it includes. */
  kernel: string;
  headers: string[];
  /** Contents of the kernel and its headers by path. */
  files: Map<string, string>;
  /** Compiler flags of the judge, without those that make the code specific to its machine. */
  flags: string[];
}

/**
 * Returns the sources of an entry.
 * @param header Text of `kernelbot.h`.
 */
export function cppSources({ problem, source, language }: Entry, header: string): CppSources {
  const { spec, files } = problem;
  const parameters = cppParameters(files["task.h"] ?? "");
  const outputs = parameters.filter(({ view }) => view !== null).slice(-spec.outputs);
  const kernel = `csrc/kernel${EXTENSIONS[language][0]}`;
  const headers = new Map([
    ["csrc/kernelbot.h", header],
    ...Object.entries(files).flatMap(([name, text]) => (name.endsWith(".h") ? [[`csrc/${name}`, text] as const] : [])),
  ]);
  return {
    parameters,
    outputs: outputs.map(({ name }) => name),
    kernel,
    headers: [...headers.keys()],
    files: new Map([[kernel, source], ...headers]),
    flags: ["-std=c++20", "-O3", ...(language === "py" ? [] : (spec.languages[language]?.flags ?? []))],
  };
}

/** How a binding is registered: as an operator by the generated code of the Hub's builder, or as a Python function. */
export type Registration = "operator" | "function";

/** Returns the C++ file that makes the kernel callable from Python. */
export function bindingText(
  { parameters, outputs }: CppSources,
  { python }: KernelNames,
  { type }: Entry["backend"],
  registration: Registration,
): string {
  const values = parameters.map(({ name, view }) => (view === null ? name : `view<${view}>(${name}, "${name}")`));
  const device = type === "cpu" ? "cpu" : "cuda";
  return `// Makes the kernel callable from Python: checks the tensors, and passes them on as views.
${registration === "operator" ? '#include <ATen/ATen.h>\n#include <torch/library.h>\n\n#include "registration.h"' : "#include <torch/extension.h>"}
#include "task.h"

namespace {

template <class T, int Rank>
kernelbot::Tensor<T, Rank> view(const at::Tensor &tensor, const char *name)
{
    TORCH_CHECK(tensor.is_${device}(), name, " must be on a ${device} device");
    TORCH_CHECK(tensor.dim() == Rank, name, " must have ", Rank, " dimensions, not ", tensor.dim());
    TORCH_CHECK(tensor.element_size() == sizeof(T), name, " must have elements of ", sizeof(T), " bytes");
    return {static_cast<T *>(tensor.data_ptr()), tensor.sizes().data(), tensor.strides().data()};
}

void call(${parameters.map(({ cpp, name }) => `${cpp}${name}`).join(", ")})
{
${device === "cpu" ? "" : `    const c10::DeviceGuard guard(${outputs.at(-1)}.device());\n`}    custom_kernel(${values.join(", ")});
}

} // namespace

${registration === "operator" ? operator(parameters, python, device) : `PYBIND11_MODULE(TORCH_EXTENSION_NAME, module)\n{\n    module.def("${python}", &call);\n}`}
`;
}

function operator(parameters: readonly CppParameter[], python: string, device: "cpu" | "cuda"): string {
  const schema = parameters.map(({ schema: type, name, isWritten }, index) =>
    // Each tensor that is written has its own alias set.
    isWritten ? `${type}(a${index}!) ${name}` : `${type} ${name}`,
  );
  return `TORCH_LIBRARY_EXPAND(TORCH_EXTENSION_NAME, ops)
{
    ops.def("${python}(${schema.join(", ")}) -> ()");
    ops.impl("${python}", c10::k${device.toUpperCase()}, &call);
}

REGISTER_EXTENSION(TORCH_EXTENSION_NAME)`;
}
