/** Each check of problems with a problem that has the fault it detects: the skeleton with a few changed words. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openProblemChecker, type ProblemChecker } from "@kernelbot/tester";
import { afterAll, beforeAll, expect, test } from "vitest";
import { writeProblem } from "./skeleton.ts";

let root: string;
/** Directory of its own, since names must be unique across sibling sets and killed tests leave theirs behind. */
let set: string;
let checker: ProblemChecker;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "kernelbot-problems-"));
  set = join(root, "set");
  checker = await openProblemChecker();
});
afterAll(async () => {
  await checker.close();
  await rm(root, { recursive: true });
});

/** Edit of a file that replaces every match of `from` by `to`; `null` deletes the file. */
type Edit = readonly [file: string, from: string | RegExp, to: string] | readonly [file: string, deleted: null];

/** Expected findings, such as `error inputs.seed`, and words of their explanation. */
type Row = readonly [fault: string, edits: readonly Edit[], found: readonly string[], words: RegExp];

const REF = "reference.py";
const TASK = "task.yml";
const SEEDED = "generator = torch.Generator(device=DEVICE).manual_seed(seed)";
const NORMALIZED = "    return normalized(x, w)\n";
/** Returns lines that use a CPU core for some seconds of process time when the condition holds. */
const busy = (when: string, seconds: number): string =>
  `import time\n    end = time.process_time() + (${seconds} if ${when} else 0)\n    while time.process_time() < end:\n        pass\n`;
const NO_ORACLE: Edit = [REF, /def oracle[^]*?\n\n\n/, ""];
const WIDE: Edit = [TASK, /(rtol|atol): 1e-5/g, "$1: 1e-2"];
const SMALL: Edit = [TASK, /^ {2}- \{ rows: (4096|8192|65536).*$/gm, "  - { rows: 8, columns: 8, seed: $1 }"];

const ROWS: Row[] = [
  ["nothing", [], [], /^$/],
  ["a key that is none", [[TASK, "ranking_by", "ranked_by"]], ["error schema"], /ranked_by/],
  ["no reference", [[REF, null]], ["error schema"], /reference\.py is missing/],
  [
    "a reference that cannot be imported",
    [[REF, "import os\n", "import os\nimport nowhere\n"]],
    ["error reference.loads"],
    /nowhere/,
  ],
  [
    "a reference that raises",
    [[REF, NORMALIZED, "    raise ValueError\n"]],
    ["error reference.runs"],
    /ref_kernel raised ValueError/,
  ],
  [
    "a case without a seed",
    [[TASK, "columns: 8192, seed: 93246", "columns: 8192"]],
    ["error cases.seed", "note memory"],
    /1 cases have no seed/,
  ],
  [
    "no tests that differ in the seed alone",
    [[TASK, "columns: 64, seed: 3141", "columns: 63, seed: 3141"]],
    ["warning cases.twins"],
    /only in the seed/,
  ],
  [
    "cpu with the cases of large devices",
    [SMALL, [TASK, /cpu:\n {4}benchmarks:\n(?: {6}.*\n)*/, "cpu:\n"]],
    ["warning cases.size"],
    /larger devices/,
  ],
  [
    "large cases for cpu",
    [
      [
        REF,
        "x, w, _ = data\n    return normalized(x, w)",
        `x, w, _ = data\n    ${busy("x.shape[0] == 100", 0.05)}${NORMALIZED}`,
      ],
    ],
    ["warning cases.size"],
    /ms of a core/,
  ],
  [
    "tests that take long",
    [
      [
        REF,
        "x, w, _ = data\n    return normalized(x, w)",
        `x, w, _ = data\n    ${busy("not DONE and not DONE.append(1)", 1.2)}${NORMALIZED}`,
      ],
      [REF, "EPSILON = ", "DONE = []\nEPSILON = "],
    ],
    ["warning cases.size"],
    /of all tests/,
  ],
  [
    "one target alone",
    [[TASK, / {2}A100:\n {2}H100:\n {2}B200:\n {2}MI300:\n/, ""]],
    ["warning targets"],
    /only one target/,
  ],
  [
    "a target of unknown memory",
    [[TASK, "  B200:", "  X9000:"]],
    ["note memory"],
    /the memory of these targets is unknown/,
  ],
  [
    "cases that are too large for a device",
    [[TASK, "rows: 65536, columns: 1024", "rows: 65536, columns: 40000"]],
    ["error memory"],
    /of 40 GB/,
  ],
  [
    "inputs that cannot be sized without making them",
    [SMALL, [REF, SEEDED, `torch.ones(1).tolist()\n    ${SEEDED}`]],
    ["note memory"],
    /estimated from the cost/,
  ],
  ["no template", [[TASK, "templates:\n  Python: template.py\n", ""]], ["error templates"], /no template/],
  [
    "no task.py",
    [
      ["task.py", null],
      [REF, /(from task.*|(?<=def .*\)) -> .*(?=:)|: input_t)/g, ""],
    ],
    ["warning files"],
    /missing/,
  ],
  ["no fast example", [["solutions/fast_norm.py", null]], ["error examples"], /no fast_\*/],
  ["only one wrong example", [["solutions/wrong_tail.py", null]], ["error examples"], /1 wrong_\*/],
  [
    "an example that does not say how it ends",
    [["solutions/correct_einsum.py", "# expect: passed", "# passes"]],
    ["error examples"],
    /first line/,
  ],
  [
    "a wrong example that is to pass",
    [["solutions/wrong_tail.py", "wrong_result", "passed"]],
    ["error examples"],
    /expects to pass/,
  ],
  ["draws from the global generator", [[REF, "generator=generator, ", ""]], ["error inputs.deterministic"], /twice/],
  [
    "draws that hang on hash()",
    [[REF, "manual_seed(seed)", 'manual_seed((seed + hash("x") % 1000) % 2**63)']],
    ["error inputs.deterministic"],
    /another process/,
  ],
  [
    "no parameter for the seed",
    [
      [REF, "columns: int, seed: int)", "columns: int, **_)"],
      [REF, "manual_seed(seed)", "manual_seed(7)"],
    ],
    ["error inputs.seed"],
    /no parameter/,
  ],
  [
    "an input that is always the same",
    [[REF, "1 + torch.randn(columns, generator=generator, device=DEVICE) / 2", "1 + torch.arange(columns) / columns"]],
    ["error inputs.seed"],
    /same for every seed/,
  ],
  [
    "elements that are always the same",
    [[REF, "    w = 1", "    x[40:] = 1\n    w = 1"]],
    ["warning inputs.seed"],
    /of \d+ elements/,
  ],
  [
    "columns that are always equal",
    [[REF, "    w = 1", "    x[:, columns // 2 :] = x[:, : columns - columns // 2].clone()\n    w = 1"]],
    ["warning inputs.structure"],
    /pairs of elements at the same positions are equal in data\[0\]/,
  ],
  [
    "columns that are always equal, which is declared",
    [
      [REF, "    w = 1", "    x[:, columns // 2 :] = x[:, : columns - columns // 2].clone()\n    w = 1"],
      [TASK, "ranking_by", "input_structure: { duplicates: both halves are one signal }\nranking_by"],
    ],
    [],
    /^$/,
  ],
  [
    "seeds of 32 bits alone",
    [[REF, SEEDED, `assert seed < 2**32\n    ${SEEDED}`]],
    ["error inputs.seed"],
    /AssertionError/,
  ],
  [
    "a plain value that is drawn",
    [
      [REF, "return x, w, torch", "return x, w, seed % 7, torch"],
      [REF, "x, w, _ =", "x, w, *_ ="],
    ],
    ["error inputs.shown"],
    /sees them/,
  ],
  [
    "an easier seed",
    [[REF, "x = torch.randn(", "x = (1 + 9 * (seed % 2)) * torch.randn("]],
    ["error inputs.kind"],
    /scale/,
  ],
  [
    "fewer values for a seed",
    [[REF, "    w = 1", "    x = x.round() if seed % 2 else x\n    w = 1"]],
    ["error inputs.kind"],
    /distinct values/,
  ],
  ["NaN for a seed", [[REF, "    w = 1", "    x = x / (seed % 2)\n    w = 1"]], ["error inputs.kind"], /NaN/],
  [
    "a reference that is right by chance",
    [[REF, NORMALIZED, "    return normalized(x, w) + torch.rand(())\n"], NO_ORACLE],
    ["error reference.right"],
    /own output/,
  ],
  [
    "a reference that varies",
    [[REF, NORMALIZED, "    return normalized(x, w) + 1e-6 * torch.rand(())\n"]],
    ["warning reference.deterministic"],
    /second time/,
  ],
  [
    "results that are infinite",
    [[REF, NORMALIZED, "    return normalized(x, w) / 0\n"], NO_ORACLE],
    ["error reference.finite"],
    /infinite/,
  ],
  [
    "results that are infinite for some seeds of a benchmark",
    [[REF, NORMALIZED, "    return normalized(x, w) / (x[0, 0] > -1 or x.shape[0] < 100)\n"], NO_ORACLE],
    ["error reference.finite"],
    /with the seed \d+, .* infinite/,
  ],
  ["a seed of the checker's own", [[TASK, "seed: 3141", "seed: 1"]], [], /^$/],
  [
    "inputs that take most of a ranked run",
    [
      [REF, SEEDED, `${busy("rows == 256", 0.02)}    ${SEEDED}`],
      [TASK, "ranking_by", "ranked_timeout: 1\nranking_by"],
    ],
    ["warning inputs.time"],
    /each call gets a new input: \d+ calls of each benchmark fit into ranked_timeout \(1 s\)/,
  ],
  ["a bound in microseconds", [[TASK, "  cpu:\n", "  cpu:\n    speed_of_light_us: [1, 4, 3]\n"]], [], /^$/],
  [
    "a bound in nanoseconds",
    [[TASK, "  cpu:\n", "  cpu:\n    speed_of_light_us: [10, 250000, 10]\n"]],
    ["error cost"],
    /less than its speed-of-light bound of 250000 us/,
  ],
  [
    "results that are nearly zero",
    [[REF, "EPSILON) * w", "EPSILON) * w * 1e-7"]],
    ["error answers.degenerate", "error answers.dependence", "error tolerance.wide"],
    /zeros would pass/,
  ],
  [
    "the answer to every input",
    [[REF, NORMALIZED, "    return torch.sin(torch.arange(1.0, x.numel() + 1)).view_as(x)\n"], NO_ORACLE],
    ["error answers.degenerate", "error answers.dependence", "error tolerance.wide", "note tolerance.narrow"],
    /output of another seed would pass/,
  ],
  [
    "results that are all alike",
    [[REF, "EPSILON) * w", "EPSILON) * w * 0 + 3"]],
    ["error answers.degenerate", "error answers.dependence", "error tolerance.wide"],
    /the mean/,
  ],
  [
    "a check of its own that accepts NaN",
    [
      [
        REF,
        /$/,
        "\n\ndef check_implementation(data, output):\n    error = (output - ref_kernel(data)).abs()\n    return not (error > 1e-5).any(), 'wrong'\n",
      ],
    ],
    ["error answers.degenerate"],
    /NaN would pass/,
  ],
  [
    "the input as the answer",
    [[REF, "x * torch.rsqrt(x.square().mean(1, keepdim=True) + EPSILON) * w", "x + 0 * w"]],
    ["error answers.degenerate", "error answers.dependence"],
    /a copy of data\[0\]/,
  ],
  [
    "an input that does not matter",
    [[REF, "EPSILON) * w", "EPSILON) + 0 * w"]],
    ["error answers.dependence"],
    /ignores it/,
  ],
  [
    "a tail that does not matter",
    [[REF, "EPSILON) * w", "EPSILON) * torch.cat([w[:-1], w[:1]])"]],
    ["warning answers.dependence"],
    /the last slice of dimension 0/,
  ],
  ["too wide a tolerance", [WIDE], ["error tolerance.wide"], /inputs rounded[^]*results rounded/],
  [
    "a lower precision that is allowed",
    [WIDE, [TASK, "ranking_by", "lower_precision: { inputs: it is fast, results: it is fast }\nranking_by"]],
    [],
    /^$/,
  ],
  [
    "a lower precision that is allowed and refused",
    [[TASK, "ranking_by", "lower_precision: { inputs: it is fast }\nranking_by"]],
    ["warning tolerance.wide"],
    /are allowed, and do not pass/,
  ],
  [
    "too narrow a tolerance",
    [[REF, NORMALIZED, "    return normalized(x, w) * (1.0 if x.dtype == torch.float64 else 1.001)\n"], NO_ORACLE],
    ["warning tolerance.narrow"],
    /correctly rounded/,
  ],
  [
    "no way to know the truth",
    [[REF, NORMALIZED, "    return normalized(x.float(), w.float())\n"], NO_ORACLE],
    ["note tolerance.narrow"],
    /no oracle/,
  ],
  ["no cost", [[REF, /\n\n\ndef cost[^]*$/, "\n"]], ["warning cost"], /declares no cost/],
  ["a cost that is not finite", [[REF, "3 * rows * columns", 'float("inf")']], ["error cost"], /inf/],
  ["a cost of nothing", [[REF, "3 * rows * columns", "0"]], ["error cost"], /is 0/],
  [
    "a harness of its own",
    [
      [
        TASK,
        "ranking_by",
        'files: [{ name: submission.py, source: "@SUBMISSION@" }, { name: eval.py, source: reference.py }]\nconfig: { main: eval.py }\nranking_by',
      ],
    ],
    ["note legacy"],
    /harness of its own/,
  ],
];

test.for(ROWS)("a problem with %s gets the finding", async ([fault, edits, found, words]) => {
  const directory = await writeProblem({ name: `p${ROWS.findIndex(([one]) => one === fault)}`, set, cpp: false });
  await change(directory, edits);
  const { findings } = await checker.check(directory, { quick: true });
  const seen = [...new Set(findings.map(({ severity, check }) => `${severity} ${check}`))];
  expect(seen, JSON.stringify(findings, null, 1)).toEqual(found);
  expect(findings.map(({ what }) => what).join("\n")).toMatch(words);
});

test("the judge finds faults in a starter, an example, a cost and attacks", async () => {
  const directory = await writeProblem({ name: "judged", set, cpp: true });
  const check = "torch.allclose(output[0], ref_kernel(data)[0], 1e-5, 1e-5)";
  await change(directory, [
    ["template.cpp", " * w[j]", ""],
    ["solutions/correct_einsum.py", "1e-6", "1e-1"],
    // Not operations: their rate is unknown on processors with a matrix unit.
    [REF, "4 * (2 * rows * columns + columns)", "10**12 * rows"],
    [REF, /$/, `\n\ndef check_implementation(data, output):\n    return ${check}, "another first row"\n`],
  ]);
  const { findings } = await checker.check(directory);
  const messages = findings.map(({ severity, check, where }) => `${severity} ${check} ${where}`);
  expect(messages).toEqual(
    expect.arrayContaining([
      "error templates template in C++",
      "error examples solutions/correct_einsum.py",
      "error cost solutions/fast_float.cpp",
      "error cost benchmark rows: 100; columns: 1000",
      "error attacks general/upper_half.py",
    ]),
  );
});

test("a new problem has no findings at all, attacks included, and takes C++ where that is asked for", async () => {
  const directory = await writeProblem({ name: "fresh", set, cpp: true });
  const { findings, judged } = await checker.check(directory);
  expect(findings.filter(({ check }) => check !== "examples.timed")).toEqual([]);
  expect(judged.examples).toBe(8);
  expect(judged.attacks).toBeGreaterThan(30);
});

async function change(directory: string, edits: readonly Edit[]): Promise<void> {
  for (const [file, from, to] of edits) {
    const path = join(directory, file);
    if (from === null) {
      await rm(path);
      continue;
    }
    const before = await readFile(path, "utf8");
    const after = typeof from === "string" ? before.replaceAll(from, to) : before.replace(from, to);
    if (after === before) throw new Error(`${file} has no ${String(from)}`);
    await writeFile(path, after);
  }
}
