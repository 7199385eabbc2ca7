/** FlashInfer Trace documents for tests: a data set with both forms of workloads, and solutions. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const SCALE = `import torch


@torch.no_grad()
def run(x, s):
    return x * s
`;

/** Definition in the form of flashinfer-bench, with every field that it has. */
export const SCALE_ROWS = {
  name: "scale_rows_k64",
  op_type: "elementwise",
  axes: {
    rows: { type: "var", description: "Number of rows." },
    k: { type: "const", value: 64, description: "Columns." },
  },
  inputs: {
    x: { shape: ["rows", "k"], dtype: "float32", description: "Rows." },
    s: { shape: null, dtype: "float32", description: "Factor." },
  },
  outputs: { y: { shape: ["rows", "k"], dtype: "float32", description: "Scaled rows." } },
  reference: SCALE,
  tags: ["status:verified"],
  description: "Scales each row.",
  constraints: ["rows > 0"],
};

const RAGGED = `import torch


def make(axes_and_scalars, device):
    rows, width, groups = (axes_and_scalars[name] for name in ("rows", "width", "groups"))
    cuts = torch.sort(torch.randint(0, rows + 1, (groups - 1,), device=device))[0]
    ends = torch.tensor([0, rows], device=device)
    indptr = torch.cat([ends[:1], cuts, ends[1:]]).to(torch.int32)
    return {"x": torch.randn(rows, width, device=device), "indptr": indptr}


def run(x, indptr, norm_weight):
    counts = indptr[1:] - indptr[:-1]
    groups = torch.repeat_interleave(torch.arange(counts.numel()), counts.long())
    sums = torch.zeros(counts.numel(), x.shape[1])
    sums.index_add_(0, groups, x * norm_weight)
    return sums, counts
`;

/** Definition with what SOL-ExecBench has in addition: expressions, literal sizes, custom inputs. */
export const RAGGED_SUM = {
  name: "Ragged Sum.v1",
  axes: {
    entries: { type: "expr", expression: "groups + 1" },
    groups: { type: "var" },
    rows: { type: "var" },
    width: { value: 8 },
  },
  inputs: {
    x: { shape: ["rows", "width"], dtype: "float32" },
    indptr: { shape: ["entries"], dtype: "int32" },
    norm_weight: { shape: ["8"], dtype: "float32" },
  },
  outputs: {
    sums: { shape: ["groups", "width"], dtype: "float32" },
    counts: { shape: ["groups"], dtype: "int32" },
  },
  reference: RAGGED,
  custom_inputs_entrypoint: "make",
  hf_id: "someone/model",
};

const TOLERANCE = { max_atol: 0.001, max_rtol: 0.001, required_matched_ratio: 1, max_error_cap: 1 };

export const RAGGED_WORKLOADS = [
  {
    uuid: "from-file",
    axes: { rows: 9, groups: 3 },
    inputs: {
      x: { type: "random" },
      indptr: { type: "safetensors", path: "./ragged/indptr.safetensors", tensor_key: "indptr" },
      norm_weight: {},
    },
    tolerance: TOLERANCE,
  },
  {
    uuid: "made",
    axes: { rows: 40, groups: 5 },
    inputs: { x: { type: "custom" }, indptr: { type: "custom" } },
    tolerance: { ...TOLERANCE, max_error_cap: null, allow_negative_inf: true },
  },
];

/** Lines of the file of workloads of `SCALE_ROWS`; `2.0` must stay a float. */
export const SCALE_LINES = ["a", "b"].map(
  (uuid, index) =>
    `{"definition": "scale_rows_k64", "workload": {"uuid": "${uuid}", "axes": {"rows": ${16 * (index + 1)}}, ` +
    `"inputs": {"x": {"type": "random"}, "s": {"type": "scalar", "value": ${index + 2}.0}}}, "solution": null, "evaluation": null}`,
);

/** Returns a safetensors file with one int32 vector. `change` edits its header. */
export function safetensors(
  key: string,
  values: readonly number[],
  change = (header: object): object => header,
): Buffer {
  const header = { [key]: { dtype: "I32", shape: [values.length], data_offsets: [0, 4 * values.length] } };
  const text = Buffer.from(JSON.stringify(change(header)));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(text.length));
  return Buffer.concat([length, text, Buffer.from(Int32Array.from(values).buffer)]);
}

/** Writes a data set with `SCALE_ROWS` in the layout of flashinfer-bench and `RAGGED_SUM` in a folder of its own. */
export function writeDataSet(root: string, files: Readonly<Record<string, string | Buffer>> = {}): void {
  const all = {
    "definitions/elementwise/scale_rows_k64.json": JSON.stringify(SCALE_ROWS, null, 2),
    "workloads/elementwise/scale_rows_k64.jsonl": `${SCALE_LINES.join("\n\n")}\n`,
    "ragged/definition.json": JSON.stringify(RAGGED_SUM),
    "ragged/workload.jsonl": RAGGED_WORKLOADS.map((one) => JSON.stringify(one)).join("\n"),
    "ragged/indptr.safetensors": safetensors("indptr", [0, 2, 2, 9]),
    "ragged/solution.json": JSON.stringify(scaleSolution()),
    ...files,
  };
  for (const [path, content] of Object.entries(all)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
}

/** Returns a solution of `SCALE_ROWS` that writes its output. */
export function scaleSolution(changes: { spec?: object; sources?: readonly object[] } = {}) {
  return {
    name: "scale_rows_v1",
    definition: "scale_rows_k64",
    author: "someone",
    description: null,
    spec: {
      language: "python",
      target_hardware: ["cpu"],
      entry_point: "main.py::run",
      dependencies: ["torch"],
      destination_passing_style: true,
      binding: null,
      ...changes.spec,
    },
    sources: changes.sources ?? [{ path: "main.py", content: "def run(x, s, y):\n    y.copy_(x).mul_(s)\n" }],
  };
}

/** Sources in two files that import each other, and return the output. */
export const TWO_SOURCES = [
  { path: "package/main.py", content: "from . import factor\n\n\ndef run(x, s):\n    return factor.times(x, s)\n" },
  { path: "package/factor.py", content: 'def times(x, s):\n    """\'\'\'\\ unusual"""\n    return {"y": x * s}' },
];
