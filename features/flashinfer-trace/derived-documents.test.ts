import { expect, test } from "vitest";
import { type DescribedValue, headerLength, parseProblem, parseTensorHeader, type Problem } from "@kernelbot/core";
import { derivedDocuments } from "./derived-documents.ts";

const TASK = `
description: Adds.
tests: [{ size: 3, width: 4, seed: 1 }, { size: 5, width: 4, seed: 2 }]
benchmarks: [{ size: 64, width: 4, seed: 3 }]
targets: { cpu: }
tolerance: { rtol: 0.001, atol: 0, reason: float32 }
`;
const SIZES = [3, 5, 64];

function problem(task = TASK): Problem {
  return parseProblem("add", { "task.yml": task, "reference.py": "" });
}

function tensor(shape: number[], change: object = {}): DescribedValue {
  return { dtype: "float32", shape, isNormal: true, base64: null, ...change };
}

/** Values `(a, b, n, y)` of a case: `b` is stored, `n` a number. */
function values(size: number, change: Partial<Record<"a" | "b" | "n" | "y", DescribedValue>> = {}): DescribedValue[] {
  const all = {
    a: tensor([size, 4]),
    b: tensor([size, 2], { isNormal: false, dtype: "int32", base64: btoa("\0".repeat(8 * size)) }),
    n: { scalar: "float", text: "1.0" } as const,
    y: tensor([size]),
    ...change,
  };
  return [all.a, all.b, all.n, all.y];
}

function derived(cases: DescribedValue[][], names: string[] | null = ["a", "b", "n", "y"], of = problem()) {
  return derivedDocuments({ problem: of, target: "cpu", names, cases, reference: () => "def run(a, b, n): ...\n" });
}

test("sizes that change are axes of the workloads, others are constants, named after the parameters", () => {
  const { definition, workloads, tensors, workloadOf } = derived(SIZES.map((size) => values(size)));
  expect(definition).toMatchObject({
    ...{ name: "add", op_type: "add", description: "Adds." },
    axes: { size: { type: "var" }, width: { type: "const", value: 4 }, size_2: { type: "const", value: 2 } },
    inputs: {
      a: { shape: ["size", "width"], dtype: "float32" },
      b: { shape: ["size", "size_2"], dtype: "int32" },
      n: { shape: null, dtype: "float32" },
    },
    outputs: { y: { shape: ["size"], dtype: "float32" } },
  });
  const path = "blob/workloads/add/add/add_add-1-size64-width4.safetensors";
  expect(workloads.map(({ text }) => text)).toEqual([
    `{"uuid": "add-1-size64-width4", "axes": {"size":64}, "inputs": {"a": {"type": "random"}, ` +
      `"b": {"type":"safetensors","path":"${path}","tensor_key":"b"}, "n": {"type": "scalar", "value": 1.0}}, ` +
      `"tolerance": {"max_atol":0,"max_rtol":0.001,"required_matched_ratio":1}}`,
  ]);
  expect(workloadOf({ width: 4, size: 64 }, 0)).toBe(workloads[0]);
  expect(workloadOf({ width: 4, size: 5 }, 0)).toBeUndefined();
  const file = tensors.get(path) ?? new Uint8Array();
  const header = headerLength(file.subarray(0, 8), file.length);
  const text = new TextDecoder().decode(file.subarray(8, 8 + header));
  expect(parseTensorHeader(text, header, file.length).get("b")).toMatchObject({ dtypes: ["int32"], shape: [64, 2] });
});

test.each<[string, Partial<Record<"a" | "b" | "n" | "y", DescribedValue>>, string]>([
  ["a dictionary", { n: { other: "a Python dict" } }, "inputs.n: is a Python dict; documents have tensors and numbers"],
  ["codes", { b: tensor([64, 2], { dtype: "uint8" }) }, "inputs.b.dtype: uint8 is not a dtype of the documents"],
  ["a number of the seed", { n: { scalar: "int", text: null } }, "inputs.n: a number that depends on the seed"],
  ["an empty tensor", { b: tensor([0, 2]) }, "inputs.b.shape: has the size 0"],
  ["a large tensor", { b: tensor([64, 2], { isNormal: false }) }, "inputs.b: is not standard normal, and too large"],
  ["a number as output", { y: { scalar: "int", text: "1" } }, "outputs.y: must be a tensor"],
])("an input with %s is refused with its field", (_, change, fault) =>
  expect(() => derived(SIZES.map((size) => values(size, change)))).toThrow(
    new RegExp(`add cannot be written as a definition: .*${fault}`),
  ),
);

test("an output of a size that no input has, inputs without names and a check of the problem's own are refused", () => {
  const longer = SIZES.map((size) => values(size, { y: tensor([size + 1]) }));
  expect(() => derived(longer)).toThrow("outputs.y.shape: no input has the size y_0");
  expect(() => derived(longer, null)).toThrow("task.py: input_t: is not a flat tuple whose values have names");
  const own = problem(TASK.replace(/tolerance: .*\n/, ""));
  expect(() => derived(longer, null, own)).toThrow("tolerance: is missing, since reference.py checks outputs itself");
  const mixed = [values(3, { a: tensor([3]) }), values(5), values(64)];
  expect(() => derived(mixed)).toThrow(
    "inputs.a: is a tensor of float32 with 1 dimensions in one case, and a tensor of float32 with 2 dimensions in another",
  );
});
