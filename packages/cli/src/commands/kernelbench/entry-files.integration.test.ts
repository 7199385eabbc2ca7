import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { workshop } from "@kernelbot/testing/cli/kernelbot.ts";

const KERNEL = "class ModelNew:\n    pass\n";

/** Creates a workshop with files at the given paths. */
function bench(files: Record<string, string>) {
  const place = workshop();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(place.folder, path)), { recursive: true });
    writeFileSync(join(place.folder, path), text);
  }
  const at = (path: string) => join(place.folder, path);
  return { ...place, at, read: (path: string) => readFileSync(at(path), "utf8") };
}

function entry(kernels: Record<string, unknown>, metadata: object = { display_name: "Model A", organization: "Acme" }) {
  return JSON.stringify({ metadata, kernels });
}

/** Three problems of level 1. */
const CHECKOUT = Object.fromEntries(
  Array.from({ length: 3 }, (_, at) => [`level1/${at + 1}_x.py`, "class Model: ...\n"]),
);

test("validate lists every fault with its key, counts the kernels, and exits with 1", async () => {
  using place = bench({
    "a.json": entry({ level_1_problem_1_sample_0: "x = 1", level_1_problem_02_sample_0: KERNEL, other: 7 }, {}),
    ...CHECKOUT,
  });
  const { code, out } = await place.kernelbot(["kernelbench", "validate", "a.json", "--dir", "."]);
  expect(out).toBe(`\
1 kernel; level 1: 1 of 3 problems.
error    metadata.display_name: it is missing: name the model
error    level_1_problem_02_sample_0: this is not a valid kernel key: write level_1_problem_2_sample_0
error    other: this is not a valid kernel key: write level_1_problem_19_sample_0, with a level of 1 to 3
error    other: the kernel must be a string: the source of a Python module
warning  level_1_problem_1_sample_0: the kernel does not define ModelNew: it counts as not compiled
warning  level 1 has no kernel for problems 2 and 3, counted as unsolved
The file cannot be submitted: fix the errors.
`);
  expect(code).toBe(1);
});

test("validate without a suite uses the problems of KernelBench, and warnings are not errors", async () => {
  using place = bench({ "a.json": entry({ level_3_problem_50_sample_0: KERNEL }) });
  const { code, out } = await place.kernelbot(["kernelbench", "validate", "a.json", "--json"]);
  const levels = [
    { level: 1, submitted: 0, problems: 100 },
    { level: 2, submitted: 0, problems: 100 },
    { level: 3, submitted: 1, problems: 50 },
  ];
  expect(JSON.parse(out)).toMatchObject({ ok: true, kernels: 1, levels });
  expect(code).toBe(0);
});

test("only validate --strict rejects a kernel that catches its failures", async () => {
  const kernel = `import triton\nimport triton.language as tl\n@triton.jit\ndef k(): tl.load(0)\ntry:\n    k()\nexcept Exception:\n    k = None\n${KERNEL}`;
  const metadata = { display_name: "A", organization: "O", backend: "triton" };
  using place = bench({ "a.json": entry({ level_3_problem_50_sample_0: kernel }, metadata) });
  const validate = (...more: string[]) => place.kernelbot(["kernelbench", "validate", "a.json", ...more]);
  expect((await validate()).code).toBe(0);
  const { code, out } = await validate("--strict");
  expect(out.replace(/\s+/g, " ")).toContain("error level_3_problem_50_sample_0: line 5: catches an exception");
  expect(out).toContain("The file cannot be submitted");
  expect(code).toBe(1);
});

test("keys are printed without control characters", async () => {
  using place = bench({ "a.json": entry({ "\u001b[2Jx\nThe file can be submitted.": KERNEL }) });
  const { out } = await place.kernelbot(["kernelbench", "validate", "a.json"]);
  expect(out).not.toContain("\u001b");
  expect(out).not.toMatch(/^The file can be submitted/m);
});

test("combine makes a submission file from folders, and split is its inverse", async () => {
  using place = bench({
    "out/level1/level_1_problem_2_sample_0_kernel.py": KERNEL,
    "out/level1/level_1_problem_19_sample_1_kernel.py": `${KERNEL}# 19\r\n`,
    "out/level1/level_1_problem_3_sample_0_answer.md": "no",
    "out/usage.json": "{}",
    "more_level2/level_2_problem_1_sample_0_kernel.py": KERNEL,
  });
  const named = ["--display-name", "Model A", "--name", "model_a", "--organization", "Acme", "--notes", "n"];
  const combine = ["kernelbench", "combine", "out", "more_level2", ...named, "--out", "new/a.json"];
  const combined = await place.kernelbot(combine);
  expect(combined.out).toContain("The file can be submitted.\nWrote new/a.json.\n");
  expect(combined.code).toBe(0);
  expect(JSON.parse(place.read("new/a.json"))).toEqual({
    metadata: { display_name: "Model A", organization: "Acme", run_name: "model_a", notes: "n" },
    kernels: {
      level_1_problem_2_sample_0: KERNEL,
      // An answer without a kernel is a failed sample of pass@k.
      level_1_problem_3_sample_0: "# The model's answer is empty.\n",
      level_1_problem_19_sample_1: `${KERNEL}# 19\n`,
      level_2_problem_1_sample_0: KERNEL,
    },
  });
  const split = await place.kernelbot(["kernelbench", "split", "new/a.json", "--out", "again"]);
  expect(split.out).toBe("Wrote 4 kernels to again.\n");
  expect(place.read("again/model_a_level1/level_1_problem_19_sample_1_kernel.py")).toBe(`${KERNEL}# 19\n`);
  expect(place.read("again/model_a_level2/level_2_problem_1_sample_0_kernel.py")).toBe(KERNEL);
});

test("combine writes the other kernels when a model's answer is bad", async () => {
  using place = bench({
    "a/level_1_problem_1_sample_0_kernel.py": KERNEL,
    "a/level_1_problem_2_sample_0_kernel.py": "I cannot.\n",
    "a/level_1_problem_3_sample_0_kernel.py": `\`\`\`python\n${KERNEL}\`\`\`\n`,
    "a/level_1_problem_4_sample_0_kernel.py": `# ${"x".repeat(256_000)}`,
  });
  writeFileSync(place.at("a/level_1_problem_5_sample_0_kernel.py"), Buffer.from(`# \xe9\n${KERNEL}`, "latin1"));
  const { code, out } = await place.kernelbot(
    ["kernelbench", "combine", "a", "--display-name", "A", "--organization", "O", "--out", "a.json"],
    {},
  );
  const words = out.replace(/\s+/g, " ");
  expect(words).toContain("level_1_problem_2_sample_0: the kernel does not define ModelNew: it counts as not compiled");
  expect(words).toContain("level_1_problem_3_sample_0: the kernel is inside a Markdown fence, which is removed");
  expect(words).toContain("level_1_problem_4_sample_0: the kernel is larger than 256 kB: it counts as not compiled");
  expect(words).toMatch(/"a\/level_1_problem_5_sample_0_kernel.py".*UTF-8/);
  expect(JSON.parse(place.read("a.json"))).toMatchObject({
    kernels: {
      level_1_problem_1_sample_0: KERNEL,
      level_1_problem_2_sample_0: "I cannot.\n",
      level_1_problem_3_sample_0: KERNEL,
      level_1_problem_4_sample_0: "# The model's answer is larger than 256 kB.\n",
      level_1_problem_5_sample_0: `# \ufffd\n${KERNEL}`,
    },
  });
  expect(code).toBe(0);
});

test("combine lists every fault of the files and writes nothing", async () => {
  using place = bench({
    "a/level_1_problem_1_sample_0_kernel.py": KERNEL,
    "b/level_1_problem_1_sample_0_kernel.py": KERNEL,
    "b_level2/level_1_problem_2_sample_0_kernel.py": KERNEL,
  });
  const { code, out } = await place.kernelbot(
    ["kernelbench", "combine", "a", "b", "b_level2", "--display-name", "A", "--organization", "O", "--out", "a.json"],
    {},
  );
  expect(out).toContain("level_1_problem_1_sample_0: it is in both");
  expect(out).toContain("level_1_problem_2_sample_0: its level is 1");
  expect(existsSync(place.at("a.json"))).toBe(false);
  expect(code).toBe(1);
});

test.each([
  ["combine without a folder", ["combine", "--display-name", "A", "--out", "a.json"], "RUNS... is missing"],
  ["combine of a missing folder", ["combine", "x", "--display-name", "A", "--out", "a.json"], '"x" does not exist'],
  ["combine without a name", ["combine", ".", "--out", "a.json"], "--display-name NAME is required"],
  [
    "combine with an invalid name",
    ["combine", ".", "--display-name", "A", "--name", "../x", "--out", "a.json"],
    "--name: use letters, digits",
  ],
  ["split of another file", ["split", "level1/1_x.py", "--out", "x"], "is not a valid submission file"],
  ["split of keys that are paths", ["split", "paths.json", "--out", "x"], "is not a valid kernel key"],
])("%s is a usage error", async (_, args, message) => {
  using place = bench({ ...CHECKOUT, "paths.json": entry({ "../../x": KERNEL }) });
  const { code, err } = await place.kernelbot(["kernelbench", ...args]);
  expect(err.replace(/\s+/g, " ")).toContain(message);
  expect(code).toBe(2);
});
