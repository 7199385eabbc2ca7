/** Parameters of a C++ kernel, from the declaration in the problem's `task.h`. */
import { UsageError } from "../command/exit.ts";
import { isPythonName } from "./names.ts";

export interface CppParameter {
  name: string;
  /** Type in the schema of a PyTorch operator. */
  schema: "Tensor" | "int" | "float" | "bool";
  /** Type of the operator's parameter in C++. */
  cpp: string;
  /** Element type and rank of a tensor, as the template arguments of `kernelbot::Tensor`; null for other values. */
  view: string | null;
  /** Whether the kernel may write into the tensor. */
  isWritten: boolean;
}

const DECLARATION = /\bvoid\s+custom_kernel\s*\(([^()]*)\)\s*;/;
const TENSOR = /^(?:kernelbot::)?Tensor<\s*(const\s+)?([\w:]+)\s*(?:,\s*(\d+)\s*)?>\s*(\w+)?$/;
const NUMBER = /^(?:const\s+)?(?:std::)?(bool|float|double|int|long|size_t|u?int\d+_t)\s*(\w+)?$/;

/** Returns the parameters of `custom_kernel`. @throws UsageError for a type that an operator of PyTorch does not take. */
export function cppParameters(header: string): CppParameter[] {
  const code = header.replaceAll(/\/\/.*|\/\*[\s\S]*?\*\//g, "");
  const declared = DECLARATION.exec(code)?.[1];
  if (declared === undefined) throw new UsageError("the problem's task.h does not declare void custom_kernel(...)");
  return splitTopLevel(declared).map((text, index) => {
    const tensor = TENSOR.exec(text);
    if (tensor !== null) {
      const [, isConst, element = "", rank = "1", name] = tensor;
      const view = `${isConst === undefined ? "" : "const "}${element}, ${rank}`;
      const isWritten = isConst === undefined;
      return { name: nameOf(name, index), schema: "Tensor", cpp: "const at::Tensor &", view, isWritten };
    }
    const [, type, name] = NUMBER.exec(text) ?? [];
    if (type === undefined) {
      throw new UsageError(
        `the problem's task.h has the parameter ${JSON.stringify(text)}; only kernels that take tensors and numbers can be exported`,
      );
    }
    const number = { name: nameOf(name, index), view: null, isWritten: false };
    if (type === "bool") return { ...number, schema: "bool", cpp: "bool " };
    return type === "float" || type === "double"
      ? { ...number, schema: "float", cpp: "double " }
      : { ...number, schema: "int", cpp: "int64_t " };
  });
}

function nameOf(name: string | undefined, index: number): string {
  return name !== undefined && isPythonName(name) ? name : `input_${index}`;
}

/** Splits at the commas that are not between angle brackets. */
function splitTopLevel(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let index = 0; index < text.length; index += 1) {
    const sign = text[index];
    if (sign === "<") depth += 1;
    else if (sign === ">") depth -= 1;
    else if (sign === "," && depth === 0) {
      parts.push(text.slice(start, index));
      start = index + 1;
    }
  }
  return [...parts, text.slice(start)].map((part) => part.replaceAll(/\s+/g, " ").trim());
}
