import { expect, test } from "vitest";
import { MAX_ENTRY_BYTES, MAX_KERNEL_BYTES, MAX_KERNELS } from "./entry.ts";
import { checkEntryFile, KERNELBENCH, MAX_FAULTS } from "./entry-check.ts";
import { kernelKeyText } from "./key.ts";

const SOURCE = "import torch\n\nclass ModelNew(torch.nn.Module):\n    pass\n";
const METADATA = { display_name: "Model A", organization: "Acme" };
const SUITE = { problems: [1, 2, 3, 4, 5].map((problem) => ({ level: 1 as const, problem })) };
const ALL = Object.fromEntries(SUITE.problems.map((key) => [kernelKeyText({ ...key, sample: 0 }), SOURCE]));

const checked = (file: unknown) => checkEntryFile(JSON.stringify(file), SUITE);
/** Lists the faults of a file as `error key: words`. */
const faultsOf = (text: string) =>
  checkEntryFile(text, SUITE).check.faults.map(({ severity, key, what }) => `${severity} ${key ?? "file"}: ${what}`);
const kernelFaults = (kernels: Record<string, unknown>, metadata = {}) =>
  faultsOf(JSON.stringify({ metadata: { ...METADATA, ...metadata }, kernels: { ...ALL, ...kernels } }));

test("a complete file of KernelBench has 250 kernels and passes unchanged", () => {
  const file = {
    metadata: { ...METADATA, run_name: "model_a", notes: "" },
    kernels: Object.fromEntries(KERNELBENCH.problems.map((key) => [kernelKeyText({ ...key, sample: 0 }), SOURCE])),
  };
  expect(checkEntryFile(JSON.stringify(file))).toEqual({
    check: {
      ok: true,
      faults: [],
      levels: [
        { level: 1, submitted: 100, problems: 100 },
        { level: 2, submitted: 100, problems: 100 },
        { level: 3, submitted: 50, problems: 50 },
      ],
      kernels: 250,
    },
    file,
  });
});

test.each([
  [
    '{"metadata": {"display_name": "A"},\n "kernels": {"a": NaN}}',
    'line 2, column 19: unexpected "N", expected a value',
  ],
  ["", "line 1, column 1: unexpected end, expected a value"],
  ["[]", 'the file must be an object: {"metadata": {...}, "kernels": {...}}'],
  ["null", "the file must be an object"],
])("%j is rejected with the position", (text, what) => {
  const { check, file } = checkEntryFile(text, SUITE);
  expect(check.faults).toEqual([{ key: null, severity: "error", what: expect.stringContaining(what) as string }]);
  expect(check.ok).toBe(false);
  expect(file).toBeNull();
});

test("a file that is too large is rejected before it is parsed", () => {
  const [inCharacters, inBytes] = [" ".repeat(MAX_ENTRY_BYTES + 1), "é".repeat(MAX_ENTRY_BYTES / 2 + 1)];
  for (const text of [inCharacters, inBytes])
    expect(faultsOf(text)).toEqual([expect.stringContaining("larger than 32 MB")]);
});

test("all faults are reported at once, each with its key", () => {
  const text = JSON.stringify({
    metadata: { display_name: " ", run_name: "../x", backend: "fortran", notes: 7, organization: "a\0" },
    kernels: { level_1_problem_1_sample_0: 7, level_1_problem_02_sample_0: SOURCE, level_1_problem_9_sample_0: "pass" },
  });
  expect(faultsOf(text)).toEqual([
    "error metadata.display_name: name the model",
    "error metadata.organization: use text without NUL and unpaired surrogates",
    "error metadata.run_name: use letters, digits, _, - and . (at most 100)",
    "error metadata.notes: it must be a string",
    'error metadata.backend: "fortran" is not a valid backend: use one of pytorch, cuda, hip, triton, cute, tilelang, thunderkittens',
    "error level_1_problem_1_sample_0: the kernel must be a string: the source of a Python module",
    "error level_1_problem_02_sample_0: this is not a valid kernel key: write level_1_problem_2_sample_0",
    "warning level_1_problem_9_sample_0: the suite has no problem 9 in level 1: it has 1 to 5; the kernel is not evaluated",
    "warning file: level 1 has no kernel for problems 2 to 5, counted as unsolved",
  ]);
});

test("kernels for problems outside the suite are ignored with a warning", () => {
  const kernels = Object.fromEntries(KERNELBENCH.problems.map((key) => [kernelKeyText({ ...key, sample: 0 }), SOURCE]));
  const problems = KERNELBENCH.problems.filter(
    ({ level, problem }) => level !== 3 || (problem !== 48 && problem !== 49),
  );
  const { check, file } = checkEntryFile(JSON.stringify({ metadata: METADATA, kernels }), { problems });
  expect(check.faults.map(({ severity, key }) => `${severity} ${key}`)).toEqual([
    "warning level_3_problem_48_sample_0",
    "warning level_3_problem_49_sample_0",
  ]);
  expect(Object.keys(file?.kernels ?? {})).toHaveLength(248);
});

test("a file without a kernel for any problem of the suite is rejected", () => {
  const text = JSON.stringify({ metadata: METADATA, kernels: { level_2_problem_1_sample_0: SOURCE } });
  expect(faultsOf(text)[0]).toBe("error kernels: no kernel belongs to a problem of the suite");
});

test("a missing member is reported with its expected form", () => {
  expect(faultsOf("{}")).toEqual([
    'error metadata: it is missing: it must be an object that names the model: {"display_name": "..."}',
    'error kernels: it is missing: it must be an object: {"level_1_problem_1_sample_0": "import torch..."}',
  ]);
  expect(faultsOf('{"metadata": {}, "kernels": []}')).toEqual([
    "error metadata.display_name: it is missing: name the model",
    'error kernels: it must be an object: {"level_1_problem_1_sample_0": "import torch..."}',
  ]);
  expect(faultsOf('{"metadata": {"display_name": "A", "organization": "B"}, "kernels": {}}')[0]).toBe(
    "error kernels: it is empty: there is nothing to evaluate",
  );
});

test.each([
  ["level_1_problem_1", "write level_1_problem_1_sample_0"],
  ["Level1_problem_003_sample_0", "write level_1_problem_3_sample_0"],
  ["level_4_problem_1_sample_0", "write level_1_problem_19_sample_0, with a level of 1 to 3"],
  ["level_1_x_7_y_0", "write level_1_problem_19_sample_0, with a level of 1 to 3"],
  ["__proto__", "write level_1_problem_19_sample_0"],
  ["", "write level_1_problem_19_sample_0"],
])("the key %j is rejected with the correct form", (key, what) => {
  const text = `{"metadata": ${JSON.stringify(METADATA)}, "kernels": {${JSON.stringify(key)}: ${JSON.stringify(SOURCE)}}}`;
  expect(faultsOf(text)[0]).toContain(`error ${key}: this is not a valid kernel key: ${what}`);
});

test("a duplicate key, of which JSON.parse would keep the last, is reported", () => {
  const kernel = `"level_1_problem_1_sample_0": ${JSON.stringify(SOURCE)}`;
  const metadata = '"metadata": {"display_name": "A", "display_name": "B", "organization": "C"}';
  const faults = faultsOf(`{${metadata}, "kernels": {${kernel}, ${kernel}}, "x": {"a": 1, "a": 2}}`);
  expect(faults.slice(0, 3)).toEqual([
    "error metadata.display_name: it occurs more than once: keep one of them",
    "error level_1_problem_1_sample_0: it occurs more than once: keep one of them",
    "warning file: level 1 has no kernel for problems 2 to 5, counted as unsolved",
  ]);
});

test.each([
  ["that is null", null],
  ["that is an object", { code: SOURCE }],
])("a kernel %s is rejected", (_, source) => {
  expect(kernelFaults({ level_1_problem_2_sample_0: source })).toEqual([
    "error level_1_problem_2_sample_0: the kernel must be a string: the source of a Python module",
  ]);
});

const EMPTY = "# The model's answer is empty.\n";
const LARGE = "# The model's answer is larger than 256 kB.\n";

test.each([
  ["that is empty", "", EMPTY, "the kernel is empty: it counts as not compiled"],
  ["of spaces", " \n", EMPTY, "the kernel is empty: it counts as not compiled"],
  ["with a NUL", `${SOURCE}# \0`, `${SOURCE}# \ufffd`, "contains a NUL or half of a character, replaced by U+FFFD"],
  ["with half of a character", `${SOURCE}# \ud83d`, `${SOURCE}# \ufffd`, "contains a NUL or half of a character"],
  ["that is too large", `${SOURCE}#${"é".repeat(MAX_KERNEL_BYTES / 2)}`, LARGE, "the kernel is larger than 256 kB"],
  ["of another class", "class ModelNewer: pass", "class ModelNewer: pass", "the kernel does not define ModelNew"],
  ["with the class in a comment", "# class ModelNew", "# class ModelNew", "the kernel does not define ModelNew"],
  [
    "in a Markdown fence",
    `Sure:\n\`\`\`python\n${SOURCE}\`\`\`\nDone.`,
    SOURCE,
    "the kernel is inside a Markdown fence",
  ],
  ["in a fence without a language", `\`\`\`\n${SOURCE}\`\`\``, SOURCE, "the kernel is inside a Markdown fence"],
  [
    "behind thoughts",
    `<think>class ModelNew goes here</think>\n${SOURCE}`,
    SOURCE,
    "the kernel is behind <think> text",
  ],
  ["of words in a fence", "```\nI cannot.\n```", "```\nI cannot.\n```", "no block defines ModelNew"],
  ["cut off in a call", `${SOURCE}x = f(1,`, `${SOURCE}x = f(1,`, "the kernel ends inside brackets"],
  ["cut off in a string", `${SOURCE}x = """`, `${SOURCE}x = """`, "the kernel ends inside a string"],
  ["cut off in a fence", `\`\`\`\n${SOURCE}if x:`, `${SOURCE}if x:\n`, "the kernel is inside a Markdown fence"],
])("an answer %s is named, and does not reject the other kernels", (_, answer, source, what) => {
  const { check, file } = checked({ metadata: METADATA, kernels: { ...ALL, level_1_problem_2_sample_0: answer } });
  expect(check.faults[0]).toMatchObject({ key: "level_1_problem_2_sample_0", severity: "warning" });
  expect(check.faults[0]?.what).toContain(what);
  expect(check).toMatchObject({ ok: true, kernels: 5 });
  expect(file?.kernels).toEqual({ ...ALL, level_1_problem_2_sample_0: source });
});

test.each([
  ["that is assigned", "class Fast: pass\nModelNew = Fast\n"],
  ["that is annotated", "class Fast: pass\nModelNew: type = Fast\n"],
  ["of an indented class", "if True:\n    class ModelNew: pass\n"],
  ["with lines that end in CRLF", SOURCE.replaceAll("\n", "\r\n")],
  ["with a fence in its docstring", `${SOURCE}    """\n\`\`\`python\nclass ModelNew: bad\n\`\`\`\n</think>"""\n`],
])("a ModelNew %s is accepted without a warning", (_, source) => {
  const { check, file } = checked({ metadata: METADATA, kernels: { ...ALL, level_1_problem_2_sample_0: source } });
  expect(check.faults).toEqual([]);
  expect(file?.kernels.level_1_problem_2_sample_0).toBe(source.replaceAll("\r\n", "\n"));
});

test("JSON Lines are recognised, with the expected form", () => {
  const line = JSON.stringify({ level: 1, problem_id: 1, kernel: SOURCE });
  expect(faultsOf(`${line}\n${line}\n`)[0]).toBe(
    'error file: this is not valid JSON: line 2, column 1: unexpected "{", expected the end. This is JSON Lines; ' +
      'write one object: {"metadata": {...}, "kernels": {...}}',
  );
});

test("a byte order mark before a kernel is removed", () => {
  const kernels = { ...ALL, level_1_problem_2_sample_0: `\ufeff${SOURCE}` };
  const { check, file } = checked({ metadata: METADATA, kernels });
  expect([check.faults, file?.kernels]).toEqual([[], ALL]);
});

test.each(['"' + '\\"'.repeat(40_000), "`".repeat(80_000), '"'.repeat(80_000), "~~~" + " ".repeat(80_000) + "x"])(
  "the check of an answer such as %.5s… is linear in its length",
  (answer) => {
    // A quadratic pattern would take longer than the timeout of the test.
    expect(kernelFaults({ level_1_problem_2_sample_0: `${answer.repeat(3)}\n\`\`\`` })).not.toEqual([]);
  },
);

test("problems without a kernel give one warning per level", () => {
  const { check, file } = checkEntryFile(
    JSON.stringify({ metadata: METADATA, kernels: { level_2_problem_7_sample_0: SOURCE } }),
  );
  expect(check.faults.map(({ what }) => what)).toEqual([
    "level 1 has no kernel for problems 1 to 100, counted as unsolved",
    "level 2 has no kernel for problems 1 to 6 and 8 to 100, counted as unsolved",
    "level 3 has no kernel for problems 1 to 50, counted as unsolved",
  ]);
  expect(check.ok).toBe(true);
  expect(file?.kernels).toEqual({ level_2_problem_7_sample_0: SOURCE });
});

test("the kernels of a file are sorted by key", () => {
  const { file } = checked({ metadata: METADATA, kernels: Object.fromEntries(Object.entries(ALL).reverse()) });
  expect(Object.keys(file?.kernels ?? {})).toEqual(Object.keys(ALL));
});

test("a problem without sample 0 gives a warning if it has other samples", () => {
  const { level_1_problem_2_sample_0: moved, ...others } = ALL;
  const { check } = checked({ metadata: METADATA, kernels: { ...others, level_1_problem_2_sample_3: moved } });
  expect(check.faults).toEqual([
    {
      key: "level_1_problem_2_sample_0",
      severity: "warning",
      what: "it is missing; only sample 0 is scored",
    },
  ]);
  expect(check).toMatchObject({ ok: true, kernels: 5, levels: [{ level: 1, submitted: 4, problems: 5 }] });
});

test("a kernel without a trace of the declared backend gives a warning", () => {
  const kernels = Object.fromEntries(Object.keys(ALL).map((key) => [key, `import triton\n${SOURCE}`]));
  expect(kernelFaults({ ...kernels, level_1_problem_4_sample_0: SOURCE }, { backend: "triton" })).toEqual([
    "warning level_1_problem_4_sample_0: triton is the declared backend, but nothing in the kernel refers to it",
  ]);
  expect(kernelFaults({}, { backend: "pytorch" })).toEqual([]);
});

test("unknown members and a missing organization give a warning", () => {
  const { check, file } = checked({ metadata: { display_name: "A", seed: 1 }, kernels: ALL, extra: 1 });
  expect(check.faults).toEqual([
    { key: "metadata.seed", severity: "warning", what: "it is not read" },
    { key: "metadata.organization", severity: "warning", what: "the organization is missing" },
    { key: "extra", severity: "warning", what: "it is not read" },
  ]);
  expect(file?.metadata).toEqual({ display_name: "A", organization: "", notes: "" });
});

test("a file with too many kernels is rejected without checking each", () => {
  const kernels = Array.from({ length: MAX_KERNELS + 1 }, (_, at) => [`kernel ${at}`, ""]);
  expect(checked({ metadata: METADATA, kernels: Object.fromEntries(kernels) as object }).check.faults).toEqual([
    { key: "kernels", severity: "error", what: "it has 25001 kernels; at most 25000 are accepted" },
  ]);
});

test("at most 300 faults are listed, errors first, with the number of the others", () => {
  const extra = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`extra${at}`, 1]));
  const kernels = Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`kernel ${at}`, SOURCE]));
  const { check } = checked({ ...extra, metadata: METADATA, kernels });
  expect(check.faults).toHaveLength(MAX_FAULTS + 1);
  expect(check.faults.every(({ severity }) => severity === "error")).toBe(true);
  expect(check.faults.at(-1)?.what).toBe("4700 more errors and 51 more warnings are not listed");
});

test("a key is sanitized and truncated for display", () => {
  const [fault, long] = checked({ metadata: METADATA, kernels: { "\x1b[2Ja\nb": SOURCE, ["k".repeat(5000)]: SOURCE } })
    .check.faults;
  expect(fault?.key).toBe("a b");
  expect(long?.key).toHaveLength(100);
});
