/** Import of FlashInfer Trace data sets, and conversion of solutions, without a judge. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { workshop } from "@kernelbot/testing/cli/kernelbot.ts";
import {
  RAGGED_SUM,
  RAGGED_WORKLOADS,
  safetensors,
  SCALE_LINES,
  SCALE_ROWS,
  scaleSolution,
  TWO_SOURCES,
  writeDataSet,
} from "@kernelbot/testing/flashinfer-trace.ts";
import { expect, test } from "vitest";

const flat = (text: string): string => text.replace(/\s+/g, " ");

test("each definition becomes a problem that keeps the documents, and nothing is written twice", async () => {
  using place = workshop();
  writeDataSet(join(place.folder, "data"));
  const imported = await place.kernelbot(["problem", "import", "data", "--out", "root/set"]);
  expect(imported).toMatchObject({ code: 0, err: "" });
  expect(imported.out).toContain("Wrote 2 problems to root/set.\n");
  const set = join(place.folder, "root/set");
  expect(readdirSync(set)).toEqual(["ragged-sum-v1", "scale_rows_k64"]);
  const read = (path: string): string => readFileSync(join(set, path), "utf8");
  expect(JSON.parse(read("scale_rows_k64/definition.json"))).toEqual(SCALE_ROWS);
  expect(read("scale_rows_k64/workloads.jsonl")).toBe(`${SCALE_LINES.join("\n")}\n`);
  expect(read("ragged-sum-v1/workloads.jsonl").split("\n").slice(0, 2)).toEqual(
    RAGGED_WORKLOADS.map((one) => JSON.stringify(one)),
  );
  const again = await place.kernelbot(["problem", "import", "data", "--out", "root/set"]);
  expect(again.out).toContain("Wrote 0 problems to root/set; 2 existed.\n");
});

test("every fault is listed with its file and field, and nothing is written", async () => {
  using place = workshop();
  const lying = safetensors("indptr", [0, 9], (header) => ({
    ...header,
    other: { dtype: "I32", shape: [1], data_offsets: [4, 400] },
  }));
  writeDataSet(join(place.folder, "data"), {
    "definitions/bad/broken.json": "{",
    "definitions/bad/copy.json": JSON.stringify({ ...SCALE_ROWS, tags: null }),
    "definitions/bad/same.json": JSON.stringify({
      ...RAGGED_SUM,
      name: "ragged sum v1",
      reference: "import triton\ndef run(x):",
    }),
    "workloads/bad/same.jsonl":
      '{"uuid": "", "axes": {}, "inputs": {}}\n{"definition": "gone", "workload": {"uuid": "u", "axes": {}, "inputs": {}}}',
    "ragged/indptr.safetensors": lying,
  });
  const { code, out, err } = await place.kernelbot(["problem", "import", "data", "--out", "root/set"]);
  expect(out).toBe("");
  expect(flat(err)).toContain("nothing was imported: ");
  for (const fault of [
    "definitions/bad/broken.json: is not JSON: ",
    "definitions/bad/copy.json: tags: ",
    "definitions/bad/same.json: reference: is not Python: ",
    "workloads/bad/same.jsonl:1: uuid: must not be empty",
    'workloads/bad/same.jsonl:2: definition: the definition "gone" is missing or invalid',
    'ragged/workload.jsonl:1: inputs.indptr: "./ragged/indptr.safetensors" has the tensor "other" outside of the file',
  ])
    expect(flat(err)).toContain(fault);
  expect(code).toBe(2);
  expect(existsSync(join(place.folder, "root"))).toBe(false);
});

test("a partial import leaves out definitions and workloads with faults, and lists them", async () => {
  using place = workshop();
  writeDataSet(join(place.folder, "data"), {
    "definitions/sampling/top_k.json": JSON.stringify({ ...SCALE_ROWS, name: "top_k", op_type: "sampling" }),
    "definitions/z/copy.json": JSON.stringify({ ...SCALE_ROWS, description: "another" }),
    "ragged/indptr.safetensors": "version https://git-lfs.github.com/spec/v1",
  });
  const { code, out, err } = await place.kernelbot(["problem", "import", "data", "--out", "set", "--partial"]);
  expect(flat(err)).toContain("definitions/sampling/top_k.json: op_type: samples are random");
  expect(flat(err)).toContain(
    "definitions/z/copy.json: name: is also the name of definitions/elementwise/scale_rows_k64.json",
  );
  expect(flat(err)).toContain("ragged-sum-v1: no case for from-file: inputs.indptr: ");
  expect(out).toContain("Wrote 2 problems to set.");
  expect(code).toBe(0);
  const read = (path: string): string => readFileSync(join(place.folder, "set", path), "utf8");
  expect(read("scale_rows_k64/definition.json")).toBe(JSON.stringify(SCALE_ROWS, null, 2));
  expect(Object.keys(JSON.parse(read("ragged-sum-v1/cases.json")) as object)).toEqual(["made"]);
  using other = workshop();
  other.file("only.json", JSON.stringify({ ...SCALE_ROWS, op_type: "sampling" }));
  const none = await other.kernelbot(["problem", "import", ".", "--out", "none", "--partial"]);
  expect(none.err).toContain("nothing was imported: ");
  expect(none.code).toBe(2);
});

test.each([
  [["problem", "import", "data"], "--out DIR is required"],
  [["problem", "import", "nowhere", "--out", "x"], '"nowhere" cannot be read'],
  [["problem", "import", ".", "--out", "x"], '"." has no FlashInfer Trace definition'],
  [["problem", "import", ".", "--out", "x", "--target", "a b"], '"a b" is not a valid target name'],
  [["problems", "sync", "--from", ".", "--target", "cpu"], "--target requires --format flashinfer-trace"],
  [["problems", "sync", "--from", ".", "--partial"], "--partial requires --format flashinfer-trace"],
  [["problems", "sync", ".", "--from", "."], "name the source once"],
  [["convert", "missing.json"], '"missing.json" does not exist'],
])("invalid arguments %j are rejected with the reason", async (args, why) => {
  using place = workshop();
  const { code, err } = await place.kernelbot(args, { server: "http://127.0.0.1:9" });
  expect(flat(err)).toContain(why);
  expect(code).toBe(2);
});

test("a solution becomes a submission and the same solution again, with sources from files next to it", async () => {
  using place = workshop();
  const solution = scaleSolution({
    spec: { entry_point: "package/main.py::run", destination_passing_style: false },
    sources: TWO_SOURCES,
  });
  const [main, factor] = TWO_SOURCES;
  writeDataSet(place.folder, { "package/factor.py": factor?.content ?? "" });
  const incomplete = { ...solution, sources: [main, { path: "package/factor.py" }] };
  const file = place.file("s.json", JSON.stringify(incomplete));
  expect(await place.kernelbot(["convert", file, "--out", "s.py"])).toMatchObject({ code: 0, err: "" });
  const { out } = await place.kernelbot(["convert", "s.py"]);
  expect(JSON.parse(out)).toEqual(solution);
  expect((await place.kernelbot(["convert", file])).out).toBe(readFileSync(join(place.folder, "s.py"), "utf8"));
  place.file("s.py", "edited");
  expect((await place.kernelbot(["convert", file, "--out", "s.py"])).err).toContain("use --force");
  const faulty = place.file("f.json", JSON.stringify({ ...solution, author: "" }));
  expect(flat((await place.kernelbot(["convert", faulty])).err)).toContain("f.json: author: must not be empty");
});
