import { parse } from "yaml";
import { expect, test } from "vitest";
import { parseProblem } from "../problem/problem.ts";
import { TraceDefinition } from "./definition.ts";
import { formatTraceFault, type TraceFault } from "./faults.ts";
import { traceProblem, traceProblemName, type TraceImport, type TraceProblem } from "./problem.ts";
import type { DefinitionFacts, TensorContent, TraceSource } from "./source.ts";
import { Workload } from "./workload.ts";

const DEFINITION = {
  name: "Sum.v1",
  axes: { m: { type: "var" }, k: { type: "const", value: 8 }, n: { type: "expr", expression: "m + 1" } },
  inputs: {
    x: { shape: ["m", "k"], dtype: "float16" },
    kv_indptr: { shape: ["n"], dtype: "int32" },
    eps: { shape: null, dtype: "float32" },
  },
  outputs: { y: { shape: ["m"], dtype: "float32" }, z: { shape: [], dtype: "int64" } },
  reference: "def run(x, kv_indptr, eps): ...\n",
};
const INPUTS = {
  x: { type: "random" },
  kv_indptr: { type: "safetensors", path: "t", tensor_key: "i" },
  eps: { type: "scalar", value: 1 },
};
const FACTS: DefinitionFacts = {
  ...{ error: null, modules: [], devices: [], constraints: [] },
  functions: { run: { required: 3, most: 3 } },
};

/** Returns a stored int32 vector of `m + 1` elements. */
function stored(m: number, changes: Partial<TensorContent["stored"]> = {}): TensorContent {
  const bytes = 4 * (m + 1);
  const place = { dtypes: ["int32" as const], storedDtype: "I32", shape: [m + 1], begin: 0, end: bytes };
  return { stored: { ...place, ...changes }, sha256: "abc", base64: "AAAA\n" };
}

function convert(change: {
  definition?: object;
  workloads?: object[];
  facts?: Partial<DefinitionFacts>;
  tensor?: TensorContent | { fault: string };
  targets?: string[];
  form?: "trace" | "bare";
  partial?: boolean;
}): { problem: TraceProblem | null; faults: string[] } {
  const workloads = change.workloads ?? [{ uuid: "w", axes: { m: 4 }, inputs: INPUTS }];
  const source: TraceSource = {
    file: "d.json",
    text: "{}\n",
    definition: TraceDefinition.parse({ ...DEFINITION, ...change.definition }),
    workloads: workloads.map((each, line) => {
      const workload = Workload.parse(each);
      return { file: `w.jsonl:${line + 1}`, text: JSON.stringify(each), workload, form: change.form ?? "bare" };
    }),
  };
  const options: TraceImport = {
    facts: { ...FACTS, ...change.facts },
    read: () => change.tensor ?? stored(4),
    runtime: { "reference.py": "", "adapter.py": "" },
    targets: change.targets ?? ["cpu"],
    partial: change.partial ?? false,
  };
  const faults: TraceFault[] = [];
  return { problem: traceProblem(source, options, faults), faults: faults.map(formatTraceFault) };
}

test.each([[[]], [[1]]])("a Python scalar may be stored as a tensor of the shape %j", (shape) => {
  const eps = { type: "safetensors", path: "t", tensor_key: "eps" };
  const { problem, faults } = convert({
    definition: { inputs: { x: DEFINITION.inputs.x, eps: DEFINITION.inputs.eps }, reference: "def run(x, eps): ...\n" },
    workloads: [{ uuid: "w", axes: { m: 4 }, inputs: { x: INPUTS.x, eps } }],
    facts: { functions: { run: { required: 2, most: 2 } } },
    tensor: stored(0, { dtypes: ["float32"], storedDtype: "F32", shape }),
  });
  expect(faults).toEqual([]);
  expect(JSON.parse(problem?.files["cases.json"] ?? "")).toMatchObject({ w: { tensors: { eps: "tensor-abc.b64" } } });
});

test("axes become parameters of cases, documents stay as they are, and the problem is valid", () => {
  const { problem, faults } = convert({ targets: ["cpu", "H100"] });
  expect(faults).toEqual([]);
  expect(problem?.name).toBe("sum-v1");
  const { spec } = parseProblem("sum-v1", problem?.files ?? {});
  expect(spec).toMatchObject({
    outputs: 2,
    tolerance: null,
    rankingBy: "geom",
    tests: [
      { m: 4, workload: "w", seed: 2001 },
      { m: 4, workload: "w", seed: 2002 },
    ],
    benchmarks: [{ m: 4, workload: "w", seed: 1001 }],
  });
  expect(Object.keys(spec.targets)).toEqual(["cpu", "H100"]);
  expect(JSON.parse(problem?.files["cases.json"] ?? "")).toEqual({
    w: { line: 0, form: "bare", axes: { m: 4, k: 8, n: 5 }, tensors: { kv_indptr: "tensor-abc.b64" } },
  });
  expect(problem?.files).toMatchObject({
    "definition.json": "{}\n",
    "workloads.jsonl": `${JSON.stringify({ uuid: "w", axes: { m: 4 }, inputs: INPUTS })}\n`,
    "tensor-abc.b64": "AAAA\n",
  });
});

test("a CPU gets the smallest workloads, and the others are named with the reason", () => {
  const workloads = [...Array.from({ length: 9 }, (_, index) => index + 1), 2 ** 26].map((m) => ({
    uuid: `w${m}`,
    axes: { m },
    inputs: { x: { type: "random" } },
  }));
  const definition = { inputs: { x: DEFINITION.inputs.x } };
  const facts = { functions: { run: { required: 1, most: 1 } } };
  const { problem } = convert({ workloads, definition, facts });
  const description = (parse(problem?.files["task.yml"] ?? "") as { description: string }).description;
  expect(problem?.leftOut).toEqual([
    { uuid: "w9", why: "a CPU gets the 8 smallest workloads" },
    { uuid: "w67108864", why: "the tensors have 1342177288 bytes; at most 268435456 on a CPU" },
  ]);
  expect(description).toContain("- `w9`: a CPU gets the 8 smallest workloads\n");
  expect(convert({ workloads, definition, facts, targets: ["H100"] }).problem?.leftOut).toEqual([]);
});

test("names keep what a problem's name may have", () => {
  expect(["gemm_bf16.N4096", "__Ω", "A b/../c"].map(traceProblemName)).toEqual([
    "gemm_bf16-n4096",
    "definition",
    "a-b-c",
  ]);
});

test.each([
  [{ definition: { op_type: "sampling" } }, "d.json: op_type: samples are random"],
  [{ definition: { outputs: {} } }, "d.json: outputs: must have at least one output"],
  [{ definition: { outputs: { y: { shape: null, dtype: "float32" } } } }, "d.json: outputs.y.shape: is null"],
  [{ facts: { error: "is not Python: invalid syntax in line 1" } }, "d.json: reference: is not Python"],
  [{ facts: { functions: {} } }, "d.json: reference: has no top-level function run"],
  [
    { facts: { functions: { run: { required: 2, most: 2 } } } },
    "d.json: reference: run takes 2 arguments, and there are 3 inputs",
  ],
  [{ facts: { functions: { run: { required: 4, most: null } } } }, "d.json: reference: run takes 4 or more arguments"],
  [
    { facts: { modules: ["flashinfer"] } },
    "d.json: reference: imports flashinfer; the judge has only PyTorch and NumPy",
  ],
  [{ facts: { devices: ['"cuda"'] } }, 'd.json: reference: uses "cuda", which the target cpu does not have'],
  [{ facts: { constraints: [1] } }, "d.json: constraints.1: is not a Python expression"],
  [
    { definition: { custom_inputs_entrypoint: "make" } },
    'd.json: custom_inputs_entrypoint: the reference has no top-level function "make"',
  ],
  [
    { workloads: [{ uuid: "w", axes: { m: 4 }, inputs: { x: { type: "custom" } } }] },
    "d.json: custom_inputs_entrypoint: is missing",
  ],
  [{ workloads: [] }, "d.json: has no workloads"],
  [
    { workloads: [0, 1].map(() => ({ uuid: "w", axes: { m: 4 }, inputs: INPUTS })) },
    'w.jsonl:2: uuid: "w" occurs twice',
  ],
  [{ workloads: [{ uuid: "w", axes: {}, inputs: INPUTS }] }, "w.jsonl:1: axes.m: is missing in the workload"],
  [{ workloads: [{ uuid: "w", axes: { m: 0 }, inputs: INPUTS }] }, "w.jsonl:1: axes.m: must be larger than 0"],
  [
    { workloads: [{ uuid: "w", axes: { m: 4, q: 1 }, inputs: INPUTS }] },
    "w.jsonl:1: axes.q: is not an axis of the definition",
  ],
  [
    { workloads: [{ uuid: "w", axes: { m: 4, k: 9 }, inputs: INPUTS }] },
    "w.jsonl:1: axes.k: is 9, and the definition has 8",
  ],
  [
    { definition: { axes: { ...DEFINITION.axes, n: { expression: "q" } } } },
    'w.jsonl:1: axes.n: the expression uses "q"',
  ],
  [
    { workloads: [{ uuid: "w", axes: { m: 4 }, inputs: { ...INPUTS, q: {} } }] },
    "w.jsonl:1: inputs.q: is not an input of the definition",
  ],
  [
    { workloads: [{ uuid: "w", axes: { m: 4 }, inputs: { ...INPUTS, x: { value: 1 } } }] },
    "w.jsonl:1: inputs.x: is a tensor",
  ],
  [
    { workloads: [{ uuid: "w", axes: { m: 4 }, inputs: { ...INPUTS, eps: INPUTS.kv_indptr } }] },
    'w.jsonl:1: inputs.eps: "i" in "t" has the dtype I32, not float32',
  ],
  [
    { workloads: [{ uuid: "w", axes: { m: 4 }, inputs: { x: {} } }] },
    "w.jsonl:1: inputs.kv_indptr: has positions in other inputs, and random values would be outside of them",
  ],
  [{ tensor: { fault: '"t" does not exist' } }, 'w.jsonl:1: inputs.kv_indptr: "t" does not exist'],
  [{ tensor: stored(3) }, 'w.jsonl:1: inputs.kv_indptr: "i" in "t" has the shape [4], not [5]'],
  [{ tensor: stored(4, { dtypes: ["int64"], storedDtype: "I64" }) }, "has the dtype I64, not int32"],
  [{ tensor: stored(4, { end: 16 }) }, "has 16 bytes, not 20"],
  [
    { tensor: { ...stored(4), base64: null } },
    "d.json: workloads: none can be timed on cpu: inputs.kv_indptr: the stored tensor has 20 bytes",
  ],
  [
    {
      workloads: [{ uuid: "w", axes: { m: 4 }, inputs: { ...INPUTS, x: INPUTS.kv_indptr } }],
      tensor: stored(4),
      definition: {
        inputs: { kv_indptr: DEFINITION.inputs.kv_indptr, x: DEFINITION.inputs.kv_indptr, eps: DEFINITION.inputs.eps },
      },
    },
    "none can be timed on cpu: every tensor comes from a file",
  ],
  [
    { workloads: [{ uuid: "w", axes: { m: 2 ** 28 }, inputs: INPUTS }], tensor: stored(2 ** 28) },
    "bytes; at most 268435456 on a CPU",
  ],
])("a definition with %j is refused", (change, fault) => {
  const { problem, faults } = convert(change);
  expect(faults.join("\n")).toContain(fault);
  expect(problem).toBeNull();
});

test("what a CPU lacks does not matter on other targets, or where the reference asks for it", () => {
  const devices = ['"cuda"'];
  expect(convert({ facts: { devices }, targets: ["H100"] }).faults).toEqual([]);
  const reference = 'def run(x, kv_indptr, eps): torch.device("cuda" if torch.cuda.is_available() else "cpu")';
  expect(convert({ facts: { devices }, definition: { reference } }).faults).toEqual([]);
});

test("in a partial import, workloads with faults become no cases, and one without faults is required", () => {
  const empty = { uuid: "empty", axes: { m: 0 }, inputs: INPUTS };
  const missing = { uuid: "missing", axes: { m: 4 }, inputs: { ...INPUTS, other: { type: "random" } } };
  const good = { uuid: "good", axes: { m: 4 }, inputs: INPUTS };
  const { problem, faults } = convert({ workloads: [empty, missing, good], partial: true });
  expect(faults).toEqual([]);
  expect(problem?.leftOut).toEqual([
    { uuid: "empty", why: "axes.m: must be larger than 0" },
    { uuid: "missing", why: "inputs.other: is not an input of the definition" },
  ]);
  expect(Object.keys(JSON.parse(problem?.files["cases.json"] ?? "") as object)).toEqual(["good"]);
  expect(convert({ workloads: [empty], partial: true })).toEqual({
    problem: null,
    faults: ["d.json: workloads: none can be timed on cpu: axes.m: must be larger than 0"],
  });
});
