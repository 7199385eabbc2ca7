import { parseProblem, type ProblemDetail } from "@kernelbot/core";
import { expect, test } from "vitest";
import { HOSTILE, NOW, ANONYMOUS } from "@kernelbot/testing/web/examples.ts";
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

const ALL = { from: 1, to: 1, of: 1 };

function detail(task = TASK, more: Partial<ProblemDetail> = {}): ProblemDetail {
  const problem = parseProblem("vectoradd", {
    "task.yml": task,
    "reference.py": "def ref_kernel(data): ...\n",
    "task.h": "",
    "template.py": "def custom_kernel(data):\n    return data\n",
    "template.cpp": "// starts\n",
  });
  const board = { freeze: null, board: "vectoradd", set: "pmpp", team: null, unsandboxed: false };
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

async function renderPage(problem: ProblemDetail) {
  const page = await problemPage({ problem, server: "https://kernels.example.org", now: NOW, visit: ANONYMOUS });
  return { page, text: page.replace(/<[^>]*>/g, " ").replace(/\s+/g, " ") };
}

test("a problem shows its description, rules, boards and leaders", async () => {
  const { page, text } = await renderPage(detail());
  expect(page).toContain("<math ");
  expect(page).toContain("<h3>Input</h3>");
  for (const words of [
    "Python .py , C++ .cpp",
    "|got − expected| ≤ 0.5 + 0.00001 · |expected| sums err",
    "the geometric mean of the runtimes of the cases",
    "ranked 180 s",
    "accepted at any time",
    "a1a1a1a1a1a1 , since 2026-03-01 12:00",
    "cpu Ann 1.500 µs 2",
    "H100 no entries yet – 0",
    "export KERNELBOT_SERVER=https://kernels.example.org",
  ]) {
    expect(text).toContain(words);
  }
  expect(page).toContain('href="/problems/vectoradd/submit"');
});

test("case lists are shown once for targets that share them, and benchmarks without seeds", async () => {
  const { text } = await renderPage(detail());
  expect(text).toContain("1 test, seeds included Case size kind seed 0 127 dense 4242");
  expect(text).toContain("1 benchmark on cpu, timed with secret seeds Case size 0 64");
  expect(text).toContain("1 benchmark on H100, timed with secret seeds Case size 0 1024");
  expect(text).not.toContain("54352");
});

test("a distributed problem shows its world size, and targets with another one", async () => {
  const cases = "tests: [{ world_size: 2, seed: 1 }], benchmarks: [{ world_size: 2, seed: 1 }]";
  const task = TASK.replace("size: 127", "world_size: 8").replace("size: 1024", "world_size: 8");
  const { text } = await renderPage(detail(`${task.replace(/cpu: .*/, `cpu: { ${cases} }`)}multi_gpu: true`));
  expect(text).toContain("World size 8 ranks per case, each in its own worker; on cpu: 2");
});

test("starters can be read, downloaded and copied, and each file has a page", async () => {
  const { page } = await renderPage(detail());
  expect(page).toContain('<span class="tok-keyword">return</span> data');
  for (const path of ["starters/kernel.py", "starters/kernel.cpp", "files/reference.py", "files/task.yml"]) {
    expect(page).toContain(`href="/problems/vectoradd/${path}"`);
  }
  expect(page).toContain('data-copy="starter-1"');
});

test.each([
  ["accepted from 2026-05-01 12:00", { opensAt: "2026-05-01T12:00:00.000Z", closesAt: null }],
  ["accepted until 2026-05-01 12:00", { closesAt: "2026-05-01T12:00:00.000Z" }],
  ["closed since 2026-01-01 12:00", { closesAt: "2026-01-01T12:00:00.000Z" }],
  ["no longer accepted", { openTargets: [] }],
])("ranked submissions are %s", async (words, more) => {
  const { page, text } = await renderPage(detail(TASK, more));
  expect(text).toContain(words);
  expect(page.includes("/submit")).toBe(!("openTargets" in more));
});

test("text of the author is escaped on the page, in the list and in files", async () => {
  const problem = detail(TASK.replace("Add two vectors", HOSTILE).replace("sums err", JSON.stringify(HOSTILE)));
  const competition = {
    name: "spring",
    title: HOSTILE,
    startsAt: "2026-01-01T00:00:00Z",
    endsAt: "2027-01-01T00:00:00Z",
  };
  const pages = [
    (await renderPage({ ...problem, competition, set: HOSTILE })).page,
    await problemFilePage({ problem: "vectoradd", name: `${HOSTILE}.py`, text: HOSTILE, visit: ANONYMOUS }),
    await problemsPage({
      problems: [
        { name: "vectoradd", description: HOSTILE, competition: null, tags: [], difficulty: null, targets: ["cpu"] },
      ],
      ...{
        boards: problem.boards,
        competitions: [],
        tags: [],
        filter: { search: HOSTILE },
        span: ALL,
        visit: ANONYMOUS,
      },
    }),
  ];
  for (const page of pages) {
    expect(page).toContain("&lt;script&gt;alert(1)");
    expect(page).not.toMatch(/<script>|<img| style=/);
  }
});

test("an empty list shows a notice, and links to all problems if it was filtered", async () => {
  const nothing = {
    problems: [],
    boards: [],
    competitions: [],
    tags: [],
    span: { from: 1, to: 0, of: 0 },
    visit: ANONYMOUS,
  };
  expect(await problemsPage({ ...nothing, filter: {} })).toContain("This server has no problems yet.");
  expect(await problemsPage({ ...nothing, filter: { search: "x" } })).toContain('<a href="/problems">See all</a>');
});

test("a list can be filtered by tag and difficulty, and each problem links to those it has", async () => {
  const problems = [
    {
      name: "double",
      description: "Doubles.",
      competition: null,
      tags: ["scan"],
      difficulty: "advanced" as const,
      targets: [],
    },
  ];
  const filter = { tag: "scan", difficulty: "advanced" as const };
  const list = { problems, boards: [], competitions: [], tags: ["reduction", "scan"], filter, visit: ANONYMOUS };
  const page = await problemsPage({ ...list, span: { from: 1, to: 100, of: 101 } });
  expect(page).toMatch(/<option value="scan" selected/);
  expect(page).toMatch(/<option value="advanced" selected/);
  expect(page).toContain('href="/problems?tag=scan&amp;difficulty=advanced&amp;from=101"');
  expect(page).toContain('href="/problems?tag=scan">scan</a>');
});

test("a long list links to its other pages, which keep the filter", async () => {
  const problems = [
    { name: "double", description: "Doubles.", competition: null, tags: [], difficulty: null, targets: ["cpu"] },
  ];
  const list = { problems, boards: [], competitions: [], tags: [], filter: { search: "a b" }, visit: ANONYMOUS };
  const page = await problemsPage({ ...list, span: { from: 101, to: 200, of: 5000 } });
  expect(page).toContain("Problems 101 to 200 of 5,000");
  for (const from of [1, 201, 4901]) expect(page).toContain(`href="/problems?search=a+b&amp;from=${from}"`);
  expect(await problemsPage({ ...list, span: ALL })).not.toContain("Pages of this list");
});
