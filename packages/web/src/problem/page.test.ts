import { parseProblem, type ProblemDetail } from "@kernelbot/core";
import { expect, test } from "vitest";
import { HOSTILE, NOW, STRANGER } from "../examples.ts";
import { problemFilePage } from "./file.ts";
import { problemsPage } from "./list.ts";
import { problemPage } from "./page.ts";

const TASK = `
description: |
  Add two vectors $a_i$.

  # Input
languages: { py: , cpp: }
templates: { Python: template.py, C++: template.cpp }
tests: [{ size: 127, kind: dense, seed: 4242 }]
benchmarks: [{ size: 1024, seed: 54352 }]
targets:
  cpu: { benchmarks: [{ size: 64, seed: 54352 }] }
  H100:
tolerance: { rtol: 1e-5, atol: 0.5, reason: sums err }
ranking_by: geom
`;

function detail(task = TASK, more: Partial<ProblemDetail> = {}): ProblemDetail {
  const problem = parseProblem("vectoradd", {
    "task.yml": task,
    "reference.py": "def ref_kernel(data): ...\n",
    "task.h": "",
    "template.py": "def custom_kernel(data):\n    return data\n",
    "template.cpp": "// starts\n",
  });
  const board = { freeze: null, board: "vectoradd", team: null, unsandboxed: false };
  return {
    ...problem,
    version: "a1".repeat(32),
    versionSince: "2026-03-01T12:00:00.000Z",
    history: [],
    set: "pmpp",
    competition: null,
    opensAt: null,
    closesAt: null,
    openTargets: ["cpu", "H100"],
    limits: [],
    boards: [
      { ...board, target: "cpu", entries: 2, leader: { id: "a", name: "Ann" }, bestNs: 1500 },
      { ...board, target: "H100", entries: 0, leader: null, bestNs: null },
    ],
    ...more,
  };
}

async function shown(problem: ProblemDetail) {
  const page = await problemPage({ problem, server: "https://kernels.example.org", now: NOW, visit: STRANGER });
  return { page, text: page.replace(/<[^>]*>/g, " ").replace(/\s+/g, " ") };
}

test("a problem says what is asked for, to whom it is held, and who leads where", async () => {
  const { page, text } = await shown(detail());
  expect(page).toContain("<math ");
  expect(page).toContain("<h3>Input</h3>");
  for (const words of [
    "Python .py , C++ .cpp",
    "|got − expected| ≤ 0.5 + 0.00001 · |expected| sums err",
    "the geometric mean of the times of the cases",
    "ranked 180 s",
    "taken at any time",
    "a1a1a1a1a1a1 , since 2026-03-01 12:00",
    "cpu Ann 1.500 µs 2",
    "H100 nobody yet – 0",
    "export KERNELBOT_SERVER=https://kernels.example.org",
  ]) {
    expect(text).toContain(words);
  }
  expect(page).toContain('href="/problems/vectoradd/submit"');
});

test("its cases stand once for all targets that share them, and benchmarks without the seeds that nobody times with", async () => {
  const { text } = await shown(detail());
  expect(text).toContain("1 test, seeds included Case size kind seed 0 127 dense 4242");
  expect(text).toContain("1 benchmark on cpu, timed on seeds that nobody knows Case size 0 64");
  expect(text).toContain("1 benchmark on H100, timed on seeds that nobody knows Case size 0 1024");
  expect(text).not.toContain("54352");
});

test("a problem of several ranks says how many they are, and where they are others", async () => {
  const cases = "tests: [{ world_size: 2, seed: 1 }], benchmarks: [{ world_size: 2, seed: 1 }]";
  const task = TASK.replace("size: 127", "world_size: 8").replace("size: 1024", "world_size: 8");
  const { text } = await shown(detail(`${task.replace(/cpu: .*/, `cpu: { ${cases} }`)}multi_gpu: true`));
  expect(text).toContain("Ranks 8 work on each case, each in a worker of its own; on cpu: 2");
});

test("its starters can be read, had and copied, and each of its files has a page", async () => {
  const { page } = await shown(detail());
  expect(page).toContain('<span class="tok-keyword">return</span> data');
  for (const path of ["starters/kernel.py", "starters/kernel.cpp", "files/reference.py", "files/task.yml"]) {
    expect(page).toContain(`href="/problems/vectoradd/${path}"`);
  }
  expect(page).toContain('data-copy="starter-1"');
});

test.each([
  ["taken from 2026-05-01 12:00", { opensAt: "2026-05-01T12:00:00.000Z", closesAt: null }],
  ["taken until 2026-05-01 12:00", { closesAt: "2026-05-01T12:00:00.000Z" }],
  ["closed since 2026-01-01 12:00", { closesAt: "2026-01-01T12:00:00.000Z" }],
  ["not taken any more", { openTargets: [] }],
])("ranked runs are %s", async (words, more) => {
  const { page, text } = await shown(detail(TASK, more));
  expect(text).toContain(words);
  expect(page.includes("/submit")).toBe(!("openTargets" in more));
});

test("what its author wrote is text, in the page, in the list and as a file", async () => {
  const problem = detail(TASK.replace("Add two vectors", HOSTILE).replace("sums err", JSON.stringify(HOSTILE)));
  const competition = {
    name: "spring",
    title: HOSTILE,
    startsAt: "2026-01-01T00:00:00Z",
    endsAt: "2027-01-01T00:00:00Z",
  };
  const pages = [
    (await shown({ ...problem, competition, set: HOSTILE })).page,
    await problemFilePage({ problem: "vectoradd", name: `${HOSTILE}.py`, text: HOSTILE, visit: STRANGER }),
    await problemsPage({
      problems: [{ name: "vectoradd", description: HOSTILE, competition: null, targets: ["cpu"] }],
      ...{ boards: problem.boards, competitions: [], asked: { search: HOSTILE }, visit: STRANGER },
    }),
  ];
  for (const page of pages) {
    expect(page).toContain("&lt;script&gt;alert(1)");
    expect(page).not.toMatch(/<script>|<img| style=/);
  }
});

test("a list in which nothing was found says so and leads back", async () => {
  const nothing = { problems: [], boards: [], competitions: [], visit: STRANGER };
  expect(await problemsPage({ ...nothing, asked: {} })).toContain("This server has no problems yet.");
  expect(await problemsPage({ ...nothing, asked: { search: "x" } })).toContain('<a href="/problems">See all</a>');
});
