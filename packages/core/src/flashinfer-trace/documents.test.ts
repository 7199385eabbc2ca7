import { describe, expect, test } from "vitest";
import { TraceDefinition } from "./definition.ts";
import { formatTraceFault, parseDocument, parseJson, type TraceFault } from "./faults.ts";
import { Solution } from "./solution.ts";
import { Trace, TraceStatus } from "./trace.ts";
import { Workload } from "./workload.ts";

function faultsOf(schema: Parameters<typeof parseDocument>[0], value: unknown): string[] {
  const faults: TraceFault[] = [];
  parseDocument(schema, value, "f", faults);
  return faults.map(formatTraceFault);
}

const DEFINITION = {
  name: "d",
  op_type: "gemm",
  axes: { m: { type: "var" }, k: { type: "const", value: 8 } },
  inputs: { x: { shape: ["m", "k"], dtype: "float32" } },
  outputs: { y: { shape: ["m"], dtype: "float32" } },
  reference: "def run(x): ...",
};
const WORKLOAD = { uuid: "w", axes: { m: 4 }, inputs: { x: { type: "random" } } };
const SPEC = { language: "python", target_hardware: ["cpu"], entry_point: "main.py::run" };
const SOLUTION = {
  name: "s",
  definition: "d",
  author: "a",
  spec: SPEC,
  sources: [{ path: "main.py", content: "def run(x): ..." }],
};
const EVALUATION = { status: "TIMEOUT", environment: { hardware: "cpu" }, timestamp: "2026-01-01T00:00:00Z" };
const TRACE = { definition: "d", workload: WORKLOAD, solution: "s", evaluation: EVALUATION };
const CORRECT = { max_relative_error: "NaN", max_absolute_error: "Infinity", extra: { any: [1] } };
const FAST = { latency_ms: 1, reference_latency_ms: 2, speedup_factor: 2 };

describe("valid documents", () => {
  test("whole numbers and types are read as leniently as by their authors' models", () => {
    const axes = { a: { value: "4" }, b: { value: 4.0 }, c: { value: true }, d: {}, e: { expression: "a + 1" } };
    const { axes: read } = TraceDefinition.parse({ ...DEFINITION, axes: { ...DEFINITION.axes, ...axes }, other: 1 });
    expect(read).toMatchObject({
      a: { type: "const", value: 4 },
      b: { type: "const", value: 4 },
      c: { type: "const", value: 1 },
      d: { type: "var" },
      e: { type: "expr" },
    });
    const inputs = { a: {}, b: { value: 1.5 }, c: { path: "p", tensor_key: "k" } };
    expect(Workload.parse({ ...WORKLOAD, inputs }).inputs).toEqual({
      a: { type: "random" },
      b: { type: "scalar", value: 1.5 },
      c: { type: "safetensors", path: "p", tensor_key: "k" },
    });
  });

  test("scalars, 0-d tensors, literal sizes, every dtype and null where it is optional", () => {
    const inputs = {
      a: { shape: null, dtype: "bool" },
      b: { shape: [], dtype: "float4_e2m1" },
      c: { shape: ["3"], dtype: "float8_e5m2" },
    };
    expect(faultsOf(TraceDefinition, { ...DEFINITION, inputs, op_type: null, description: null, hf_id: null })).toEqual(
      [],
    );
    expect(faultsOf(Workload, { ...WORKLOAD, tolerance: { max_error_cap: null } })).toEqual([]);
    expect(faultsOf(Solution, { ...SOLUTION, description: null, spec: { ...SPEC, binding: null } })).toEqual([]);
  });

  test("a workload without result, and results with errors that are not finite", () => {
    expect(faultsOf(Trace, { definition: "d", workload: WORKLOAD, solution: null, evaluation: null })).toEqual([]);
    const evaluation = { ...EVALUATION, status: "PASSED", correctness: CORRECT, performance: FAST };
    expect(Trace.parse({ ...TRACE, evaluation }).evaluation?.correctness).toMatchObject({
      max_relative_error: Number.NaN,
      max_absolute_error: Number.POSITIVE_INFINITY,
    });
  });
});

test.each([...TraceStatus.options])("an evaluation of the status %s has the parts that it requires", (status) => {
  const parts = {
    PASSED: { correctness: CORRECT, performance: FAST },
    INCORRECT_NUMERICAL: { correctness: CORRECT, performance: null },
  };
  const own = status === "PASSED" || status === "INCORRECT_NUMERICAL" ? parts[status] : {};
  expect(faultsOf(Trace, { ...TRACE, evaluation: { ...EVALUATION, status, ...own } })).toEqual([]);
});

test("a document with every field is the same after it is read", () => {
  const described = { description: "d" };
  const definition = {
    ...DEFINITION,
    ...described,
    axes: {
      m: { type: "var", ...described },
      k: { type: "const", value: 8, ...described },
      n: { type: "expr", expression: "m + 1", ...described },
    },
    inputs: { x: { shape: ["m", "k"], dtype: "float32", ...described } },
    outputs: { y: { shape: ["m"], dtype: "float32", ...described } },
    tags: ["status:draft"],
    constraints: ["m > 0"],
    custom_inputs_entrypoint: "make",
    hf_id: "a/b",
  };
  const workload = {
    uuid: "w",
    axes: { m: 4 },
    inputs: {
      a: { type: "random" },
      b: { type: "scalar", value: true },
      c: { type: "safetensors", path: "p", tensor_key: "k" },
    },
    tolerance: {
      max_atol: 1,
      max_rtol: 2,
      required_matched_ratio: 0.5,
      max_error_cap: 3,
      allow_negative_inf: true,
    },
  };
  const solution = {
    ...{ ...SOLUTION, ...described },
    spec: {
      ...{ language: "cpp", languages: ["cuda_cpp"], target_hardware: ["cuda", "sm90"], entry_point: "a/m.cu::run" },
      ...{ dependencies: ["torch"], destination_passing_style: false, binding: "torch" },
      compile_options: { cflags: ["-O1"], cuda_cflags: ["-O2"], ld_flags: ["-lm"] },
    },
    sources: [{ path: "a/m.cu", content: "x" }],
  };
  const evaluation = {
    ...EVALUATION,
    ...{ status: "PASSED", log: "l", environment: { hardware: "cpu", libs: { torch: "2" } }, performance: FAST },
    correctness: {
      ...{ max_relative_error: 1, max_absolute_error: 2, has_nan: false, has_inf: true },
      extra: { any: [1] },
    },
  };
  expect(TraceDefinition.parse(definition)).toEqual(definition);
  expect(Workload.parse(workload)).toEqual(workload);
  expect(Solution.parse(solution)).toEqual(solution);
  const trace = { ...TRACE, workload, evaluation };
  expect(Trace.parse(trace)).toEqual(trace);
});

test.each([
  [{ name: "" }, "f: name: must not be empty"],
  [{ name: undefined }, "f: name: is missing"],
  [{ axes: { m: { type: "const" } } }, "f: axes.m.value: must be a whole number of at least 0, not missing"],
  [{ axes: { m: { type: "const", value: -1 } } }, "f: axes.m.value: must be a whole number of at least 0, not -1"],
  [{ axes: { m: { type: "const", value: 4.5 } } }, "f: axes.m.value: must be a whole number of at least 0, not 4.5"],
  [{ axes: { m: { type: "Var" } } }, "f: axes.m.type: must have the type const"],
  [{ axes: { m: { type: "expr", expression: "" } } }, "f: axes.m.expression: must not be empty"],
  [{ inputs: { x: { dtype: "float32" } } }, "f: inputs.x.shape: must be a list of names of axes, or null"],
  [{ inputs: { x: { shape: [4], dtype: "float32" } } }, "f: inputs.x.shape.0: must be a list of names of axes"],
  [{ inputs: { x: { shape: ["z"], dtype: "float32" } } }, 'f: inputs.x.shape: "z" is neither an axis nor a size'],
  [{ inputs: { x: { shape: [], dtype: "uint8" } } }, "f: inputs.x.dtype: must be one of float64"],
  [{ inputs: { "not a name": { shape: [], dtype: "bool" } } }, "must be a Python identifier"],
  [{ outputs: { x: { shape: [], dtype: "float32" } } }, "f: outputs.x: is the name of an input, too"],
  [{ reference: "" }, "f: reference: must not be empty"],
  [{ tags: null }, "f: tags: "],
  [{ constraints: null }, "f: constraints: "],
  [{ custom_inputs_entrypoint: "a.b" }, "f: custom_inputs_entrypoint: must be a Python identifier"],
  [{ reference: undefined }, "f: reference: is missing"],
  [{ axes: null }, "f: axes: "],
  [{ axes: { ...DEFINITION.axes, "": { type: "var" } } }, "f: axes.: must not be empty"],
  [{ axes: { m: { type: "var", description: 1 } } }, "f: axes.m.description: "],
  [{ inputs: undefined }, "f: inputs: is missing"],
  [{ inputs: { x: { shape: [] } } }, "f: inputs.x.dtype: must be one of float64"],
  [{ outputs: undefined }, "f: outputs: is missing"],
  [{ outputs: { y: { shape: ["z"], dtype: "float32" } } }, 'f: outputs.y.shape: "z" is neither an axis nor a size'],
  [{ outputs: { "1y": { shape: [], dtype: "bool" } } }, "f: outputs.1y: must be a Python identifier"],
  [{ op_type: 1 }, "f: op_type: "],
  [{ description: 1 }, "f: description: "],
  [{ tags: [1] }, "f: tags.0: "],
  [{ constraints: [null] }, "f: constraints.0: "],
  [{ hf_id: 1 }, "f: hf_id: "],
])("the definition with %j is refused", (change, fault) => {
  expect(faultsOf(TraceDefinition, { ...DEFINITION, ...change }).join("\n")).toContain(fault);
});

test.each([
  [{ uuid: "" }, "f: uuid: must not be empty"],
  [{ axes: { m: -1 } }, "f: axes.m: must be a whole number of at least 0, not -1"],
  [{ axes: undefined }, "f: axes: is missing"],
  [{ inputs: { x: { type: "scalar", value: "1" } } }, "f: inputs.x.value: must be a number, true or false"],
  [{ inputs: { x: { type: "safetensors", path: "p" } } }, "f: inputs.x.tensor_key: is missing"],
  [{ inputs: { x: { type: "Random" } } }, "f: inputs.x.type: must have the type random"],
  [
    { inputs: { x: { type: "custom" }, y: { type: "random" } } },
    "f: inputs: if one input is custom, all that are listed",
  ],
  [{ tolerance: null }, "f: tolerance: "],
  [{ tolerance: { max_atol: "big" } }, "f: tolerance.max_atol: "],
  [{ tolerance: { max_rtol: null } }, "f: tolerance.max_rtol: "],
  [{ tolerance: { required_matched_ratio: "all" } }, "f: tolerance.required_matched_ratio: "],
  [{ tolerance: { max_error_cap: true } }, "f: tolerance.max_error_cap: "],
  [{ tolerance: { allow_negative_inf: 2 } }, "f: tolerance.allow_negative_inf: must be true or false, not 2"],
  [{ uuid: undefined }, "f: uuid: is missing"],
  [{ uuid: "u".repeat(201) }, "f: uuid: may have at most 200 characters"],
  [{ axes: { m: "4.5" } }, 'f: axes.m: must be a whole number of at least 0, not "4.5"'],
  [{ axes: { m: null } }, "f: axes.m: must be a whole number of at least 0, not null"],
  [{ inputs: undefined }, "f: inputs: is missing"],
  [{ inputs: { x: null } }, "f: inputs.x: "],
  [{ inputs: { x: { type: "safetensors", path: "", tensor_key: "k" } } }, "f: inputs.x.path: must not be empty"],
  [{ inputs: { x: { type: "safetensors", path: "p", tensor_key: "" } } }, "f: inputs.x.tensor_key: must not be empty"],
  [{ inputs: { x: { type: "scalar" } } }, "f: inputs.x.value: must be a number, true or false"],
])("the workload with %j is refused", (change, fault) => {
  expect(faultsOf(Workload, { ...WORKLOAD, ...change }).join("\n")).toContain(fault);
});

test.each([
  [{ author: "" }, "f: author: must not be empty"],
  [{ name: "" }, "f: name: must not be empty"],
  [{ definition: undefined }, "f: definition: is missing"],
  [{ description: 1 }, "f: description: "],
  [{ spec: undefined }, "f: spec: is missing"],
  [{ sources: undefined }, "f: sources: is missing"],
  [{ sources: [{ content: "x" }] }, "f: sources.0.path: is missing"],
  [{ sources: [{ path: "a//main.py", content: "x" }] }, "f: sources.0.path: must be a relative path"],
  [{ spec: { ...SPEC, languages: ["python", "Triton"] } }, "f: spec.languages.1: must be one of python"],
  [{ spec: { ...SPEC, target_hardware: [""] } }, "f: spec.target_hardware.0: must not be empty"],
  [{ spec: { ...SPEC, entry_point: "main.py::" } }, "f: spec.entry_point: must be FILE::FUNCTION"],
  [{ spec: { ...SPEC, dependencies: [""] } }, "f: spec.dependencies.0: must not be empty"],
  [{ spec: { ...SPEC, compile_options: { cflags: "-O3" } } }, "f: spec.compile_options.cflags: "],
  [
    { spec: { ...SPEC, entry_point: "main.cu::run" }, sources: [{ path: "main.cu", content: "x" }] },
    'f: spec.entry_point: a solution in Python cannot start in "main.cu"',
  ],
  [{ sources: [] }, "f: sources: must have at least one source"],
  [{ sources: [{ path: "main.py", content: "" }] }, "f: sources.0.content: must not be empty"],
  [{ sources: [{ path: "/main.py", content: "x" }] }, "f: sources.0.path: must be a relative path"],
  [{ sources: [{ path: "a/../main.py", content: "x" }] }, "f: sources.0.path: must be a relative path"],
  [{ sources: [{ path: "a\\main.py", content: "x" }] }, "f: sources.0.path: must be a relative path"],
  [{ sources: [SOLUTION.sources[0], SOLUTION.sources[0]] }, "f: sources.1.path: occurs twice"],
  [{ spec: { ...SPEC, language: "Python" } }, "f: spec.language: must be one of python"],
  [{ spec: { ...SPEC, language: undefined } }, "f: spec.language: is missing"],
  [
    { spec: { ...SPEC, language: undefined, languages: ["triton", "cublas"] } },
    "f: spec.languages: Python and C++ cannot be mixed",
  ],
  [{ spec: { ...SPEC, target_hardware: [] } }, "f: spec.target_hardware: must name at least one device"],
  [{ spec: { ...SPEC, entry_point: "main.py" } }, "f: spec.entry_point: must be FILE::FUNCTION"],
  [{ spec: { ...SPEC, entry_point: "main.py::a::b" } }, "f: spec.entry_point: must be FILE::FUNCTION"],
  [
    { spec: { ...SPEC, entry_point: "./main.py::run" } },
    'f: spec.entry_point: "./main.py" is not the path of a source',
  ],
  [{ spec: { ...SPEC, language: "cuda" } }, 'f: spec.entry_point: a solution in C++ cannot start in "main.py"'],
  [{ spec: { ...SPEC, binding: "pybind" } }, "f: spec.binding: must be tvm-ffi, torch or null"],
  [{ spec: { ...SPEC, dependencies: null } }, "f: spec.dependencies: "],
  [
    { spec: { ...SPEC, destination_passing_style: "perhaps" } },
    "f: spec.destination_passing_style: must be true or false",
  ],
])("the solution with %j is refused", (change, fault) => {
  expect(faultsOf(Solution, { ...SOLUTION, ...change }).join("\n")).toContain(fault);
});

test.each([
  [{ solution: null }, "f: solution: is missing"],
  [{ evaluation: null }, "f: evaluation: is missing"],
  [{ workload: undefined }, "f: workload: is missing"],
  [{ definition: "" }, "f: definition: must not be empty"],
  [{ solution: "" }, "f: solution: must not be empty"],
  [{ workload: { ...WORKLOAD, uuid: "" } }, "f: workload.uuid: must not be empty"],
  [{ evaluation: { ...EVALUATION, environment: undefined } }, "f: evaluation.environment: is missing"],
  [
    { evaluation: { ...EVALUATION, environment: { hardware: "cpu", libs: { torch: 2 } } } },
    "f: evaluation.environment.libs.torch: ",
  ],
  [{ evaluation: { ...EVALUATION, log: null } }, "f: evaluation.log: "],
  [
    { evaluation: { ...EVALUATION, performance: {} } },
    "f: evaluation.performance: must be null with the status TIMEOUT",
  ],
  [{ evaluation: { ...EVALUATION, status: "PASSED", performance: {} } }, "f: evaluation.correctness: is required"],
  [
    { evaluation: { ...EVALUATION, status: "PASSED", correctness: {}, performance: { ...FAST, latency_ms: -1 } } },
    "f: evaluation.performance.latency_ms: must not be negative",
  ],
  [
    { evaluation: { ...EVALUATION, status: "INCORRECT_NUMERICAL", correctness: { max_relative_error: "inf" } } },
    "f: evaluation.correctness.max_relative_error: must be a number, NaN or Infinity",
  ],
  [
    { evaluation: { ...EVALUATION, status: "INCORRECT_NUMERICAL", correctness: { has_nan: 1 } } },
    "f: evaluation.correctness.has_nan: ",
  ],
  [
    { evaluation: { ...EVALUATION, status: "INCORRECT_NUMERICAL", correctness: { extra: [1] } } },
    "f: evaluation.correctness.extra: ",
  ],
  [{ evaluation: { ...EVALUATION, status: "OK" } }, "f: evaluation.status: must be one of PASSED"],
  [
    { evaluation: { ...EVALUATION, environment: { hardware: "" } } },
    "f: evaluation.environment.hardware: must not be empty",
  ],
  [{ evaluation: { ...EVALUATION, timestamp: "" } }, "f: evaluation.timestamp: must not be empty"],
  [
    { evaluation: { ...EVALUATION, correctness: {} } },
    "f: evaluation.correctness: must be null with the status TIMEOUT",
  ],
  [{ evaluation: { ...EVALUATION, status: "PASSED", correctness: {} } }, "f: evaluation.performance: is required"],
  [
    { evaluation: { ...EVALUATION, status: "INCORRECT_NUMERICAL", correctness: {}, performance: {} } },
    "f: evaluation.performance: must be null with the status INCORRECT_NUMERICAL",
  ],
  [
    { evaluation: { ...EVALUATION, status: "INCORRECT_NUMERICAL", correctness: { max_absolute_error: -1 } } },
    "f: evaluation.correctness.max_absolute_error: must not be negative",
  ],
])("the trace with %j is refused", (change, fault) => {
  expect(faultsOf(Trace, { ...TRACE, ...change }).join("\n")).toContain(fault);
});

test("text that is not JSON is refused with its place", () => {
  const faults: TraceFault[] = [];
  expect(parseJson("{", "f:3", faults)).toBeUndefined();
  expect(faults.map(formatTraceFault).join()).toMatch(/^f:3: is not JSON: /);
});
