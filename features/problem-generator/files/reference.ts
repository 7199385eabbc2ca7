/** `reference.py` and `task.py` of a generated problem. */
import { floatTypeOf, type Program } from "../program.ts";
import { dataNames, functionalImport, listed, operands, programCall, programFunction, shapeText } from "./python.ts";

const BYTES = { float32: 4, float16: 2, bfloat16: 2, int32: 4, int64: 8 } as const;

export function referenceFile(title: string, program: Program, parameters: readonly string[]): string {
  const names = dataNames(program);
  const sections = [
    [`"""${title}"""`, "", ...(program.operations === null ? [] : ["import math"]), "import os", "", "import torch"],
    [
      ...functionalImport(program),
      "",
      "from kernelbot_tester.inputs import RandomInputs",
      "from task import input_t, output_t",
      "",
      'DEVICE = os.environ.get("KERNELBOT_DEVICE", "cpu")',
      ...switches(program),
    ],
    ["", "", ...generator(program, parameters)],
    ["", "", programFunction(program)],
    ["", "", ...reference(program)],
    ...(floatTypeOf(program) === null ? [] : [["", "", ...oracle(program)]]),
    ["", "", ...cost(program, parameters)],
  ];
  return `${sections.flat().join("\n")}\n`.replace("INPUTS", listed(names));
}

/** Switches off what lowers the precision of products silently. */
function switches({ steps }: Program): string[] {
  const isConvolution = steps.some(({ code }) => code.includes("conv2d"));
  const isProduct = steps.some(({ code }) => code.includes("@") || code.includes("bmm"));
  if (!isConvolution && !isProduct) return [];
  const setting = isConvolution ? "torch.backends.cudnn.allow_tf32" : "torch.backends.cuda.matmul.allow_tf32";
  return [
    "",
    "# Products are defined in float32; TF32 would round the operands to 11 significant bits.",
    `${setting} = False`,
  ];
}

function generator(program: Program, parameters: readonly string[]): string[] {
  const drawn = program.inputs.map(({ name, drawn: code, dtype }) => {
    const conversion = dtype === "float16" || dtype === "bfloat16" ? `.to(torch.${dtype})` : "";
    return `    ${name} = ${code}${conversion}`;
  });
  const buffers = program.outputs.map(
    ({ name, shape, dtype }) => `    ${name} = torch.empty(${shapeText(shape)}, dtype=torch.${dtype}, device=DEVICE)`,
  );
  return [
    `def generate_input(${parameters.map((name) => `${name}: int, `).join("")}seed: int) -> input_t:`,
    `    """Returns INPUTS; ${program.outputs.length > 1 ? "the last are the output buffers" : "the last is the output buffer"}."""`,
    "    random = RandomInputs(seed, DEVICE)",
    ...drawn,
    ...buffers,
    `    return ${dataNames(program).join(", ")}`,
  ];
}

function reference(program: Program): string[] {
  const type = floatTypeOf(program);
  const isLow = type === "float16" || type === "bfloat16";
  const [first = ""] = program.outputs.map(({ name }) => name);
  const call = programCall(program);
  return [
    "def ref_kernel(data: input_t) -> output_t:",
    isLow
      ? `    """Returns the result, computed in float32 and rounded once."""`
      : `    """Returns ${listed(program.outputs.map(({ name }) => name))}."""`,
    `    ${unpacked(program)} = data`,
    isLow ? `    ${first} = ${call}\n    return ${first}.to(torch.${type})` : `    return ${call}`,
  ];
}

function oracle(program: Program): string[] {
  return [
    "def oracle(data: input_t) -> output_t:",
    '    """Returns the same in float64."""',
    `    ${unpacked(program)} = data`,
    `    return ${programCall(program, "double")}`,
  ];
}

function unpacked(program: Program): string {
  return [...operands(program), ...program.outputs.map(() => "_")].join(", ");
}

/** Bytes of what is read and written at least, and operations where no algorithm can do without them. */
function cost({ inputs, outputs, operations }: Program, parameters: readonly string[]): string[] {
  const tensors = [...inputs.filter(({ partlyRead }) => !partlyRead), ...outputs];
  const bytes = tensors.map(({ shape, dtype }) => [BYTES[dtype], ...shape.map(factor)].join(" * ")).join(" + ");
  const halvings = operations === null ? [] : HALVINGS;
  const left = inputs.filter(({ partlyRead }) => partlyRead).map(({ name }) => name);
  const exception = left.length > 0 ? ` Not all of ${listed(left)} need be read.` : "";
  const counted = operations === null ? "" : " Products are counted as Strassen's scheme leaves them.";
  return [
    ...halvings,
    `def cost(${parameters.map((name) => `${name}: int, `).join("")}seed: int = 0) -> dict:`,
    `    """Each input is read and each output is written once.${exception}${counted}"""`,
    `    read_and_written = ${bytes}`,
    `    return {"bytes": read_and_written${operations === null ? "" : `, "operations": ${operations}`}}`,
  ];
}

const HALVINGS = [
  "def halvings(m: int, n: int, k: int) -> int:",
  '    """Returns how often matrices can be halved until blocks have 32 rows: each time saves an eighth of the products."""',
  "    return max(0, int(math.log2(max(1, min(m, n, k) / 32))))",
  "",
  "",
];

function factor(size: string): string {
  return /^\w+$/.test(size) ? size : `(${size})`;
}

export function taskFile(name: string, program: Program): string {
  const buffers = program.outputs.map(() => "torch.Tensor");
  const types = [...program.inputs.map(() => "torch.Tensor"), ...program.parameters.map(() => "int"), ...buffers];
  const isOne = buffers.length === 1;
  return `"""The types of a kernel of ${name}."""

from typing import Tuple

import torch

input_t = Tuple[${types.join(", ")}]
"""\`(${dataNames(program).join(", ")})\`: the operands, then the output ${isOne ? "buffer" : "buffers"}."""

output_t = ${isOne ? "torch.Tensor" : `Tuple[${buffers.join(", ")}]`}
"""The output ${isOne ? "buffer" : "buffers"}, or other tensors of the same shapes and types, then copied in the timed call."""
`;
}
