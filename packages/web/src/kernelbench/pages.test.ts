/** Tests of the KernelBench pages. */
import { describe, expect, test } from "vitest";
import { HOSTILE, ANONYMOUS, NOW, ONLINE, visitBy } from "@kernelbot/testing/web/examples.ts";
import { entryPage } from "./entry.ts";
import type { EntryPage } from "./entry-page-data.ts";
import {
  entryWith,
  failed,
  MIXED,
  pending,
  problemOf,
  RUNNING,
  solved,
  SUITE,
} from "@kernelbot/testing/web/kernelbench.ts";
import { ALL_KERNELS } from "./filter.ts";
import { matrixPage } from "./matrix.ts";
import { modelsPage, type ModelsPage } from "./models.ts";
import { suiteProblemPage } from "./problem.ts";
import { entrySubmitPage } from "./submit.ts";
import { suitesPage } from "./suites.ts";
import { curveOf } from "./fast-curve.ts";

/** Returns the text of the main element without tags. */
function words(page: string): string {
  const main = page.slice(page.indexOf("<main"), page.indexOf("</main>"));
  return main
    .replace(/<script[^]*?<\/script>/g, "")
    .replace(/<[^>]*>/g, " ")
    .replace(/\s+/g, " ");
}

const MODELS: ModelsPage = {
  suites: [SUITE],
  shown: { suite: SUITE, target: "H100" },
  choice: { figures: "official", baseline: { kind: "eager" } },
  baselines: ["h100-2026"],
  entries: [MIXED, RUNNING],
  curves: [curveOf(MIXED, SUITE, "official")],
  updates: "/kernelbench/updates?after=1",
  server: "https://kernelbot.example",
  visit: ANONYMOUS,
};

describe("the list of models", () => {
  test("shows shares with their totals", async () => {
    const text = words(await modelsPage(MODELS));
    expect(text).toContain("2/6 33.3 %");
    expect(text).toContain("Fast@1 (≥)");
    expect(text).toContain("of 2");
  });

  test("has links that change one choice and keep the others", async () => {
    const page = await modelsPage({ ...MODELS, choice: { figures: "robust", baseline: { kind: "compiled" } } });
    expect(page).toContain("/kernelbench?suite=kernelbench&amp;target=cpu&amp;figures=robust&amp;baseline=compiled");
    expect(page).toContain(
      "/kernelbench?suite=kernelbench&amp;target=H100&amp;figures=robust&amp;baseline=stored%3Ah100-2026",
    );
    // Of five problems, since one is degenerate; kernels that are correct only by the oracle count.
    expect(words(page)).toContain("2/5 40.0 %");
  });

  test("shows the robust mean only with the robust figures", async () => {
    const column = async (figures: "official" | "robust") =>
      (await modelsPage({ ...MODELS, choice: { figures, baseline: { kind: "eager" } } })).includes(
        'data-name="GeoMean of all"',
      );
    expect([await column("official"), await column("robust")]).toEqual([false, true]);
  });

  test("shows no speedups for entries that were not timed against the baseline", async () => {
    const text = words(await modelsPage({ ...MODELS, entries: [UNTIMED] }));
    expect(text).toContain("Model A not timed against this baseline");
    expect(text).toContain("1/6 16.7 % – – – – 1/6 16.7 %");
  });

  test("marks drafts and unfinished entries", async () => {
    const text = words(await modelsPage(MODELS));
    expect(text).toContain("Model B draft in progress");
    expect(text).not.toContain("Model A draft");
  });

  test("is live while an entry is unfinished", async () => {
    expect(await modelsPage(MODELS)).toContain('data-live="/kernelbench/updates?after=1"');
    expect(await modelsPage({ ...MODELS, entries: [MIXED] })).toContain('data-live="no"');
  });

  test("has empty states without entries and without suites", async () => {
    expect(words(await modelsPage({ ...MODELS, entries: [] }))).toContain("No entries yet.");
    const none = { ...MODELS, suites: [], shown: null, entries: [] };
    expect(words(await modelsPage(none))).toContain("An organiser can upload one");
    expect(words(await modelsPage(none))).toContain("kernelbot kernelbench suite upload suite.json");
    expect(words(await modelsPage({ ...none, visit: visitBy("olga", ["organiser"]) }))).toContain("Upload one");
  });
});

/** Entry whose kernel was not timed against the baseline. */
const UNTIMED = entryWith([{ ...solved(1, 1, 2), eagerNs: null }]);

const EAGER = { baseline: { kind: "eager" }, stored: [], baselines: [] } as const;

const ENTRY: EntryPage = {
  entry: MIXED,
  suite: SUITE,
  runners: ONLINE,
  now: NOW,
  filter: ALL_KERNELS,
  baselines: [],
  stored: [],
  acts: { stop: false, resume: false, publish: false },
  updates: "/kernelbench/entries/5/updates?after=1",
  visit: ANONYMOUS,
};

describe("an entry", () => {
  test("shows official and robust figures, with both definitions of Fast@p", async () => {
    const entry = entryWith([solved(1, 1, 1), solved(1, 2, 2)]);
    const text = words(await entryPage({ ...ENTRY, entry }));
    expect(text).toContain("Fast@1 2/6 ≥ 33.3 % &gt; 16.7 % 2/5 ≥ 40.0 % &gt; 20.0 %");
  });

  test("shows each speedup over the selected baseline with its confidence interval", async () => {
    const compiledNs = { value: 500_000, low: 490_000, high: 520_000 };
    const entry = entryWith([{ ...solved(1, 1, 2), compiledNs }]);
    expect(words(await entryPage({ ...ENTRY, entry }))).toMatch(/Eager Speedup .* 1\.000 ms 2\.000× 1\.978–2\.023×/);
    const compiled = { ...entry, score: { ...entry.score, baseline: { kind: "compiled" } } } as const;
    expect(words(await entryPage({ ...ENTRY, entry: compiled }))).toMatch(
      /Compiled Speedup .* 500\.0 µs 1\.000× 0\.978–1\.041×/,
    );
  });

  test("marks kernels that are correct only by the oracle, degenerate problems and runtimes below speed of light", async () => {
    const text = words(await entryPage(ENTRY));
    expect(text).toContain("correct only by the float64 oracle");
    expect(text).toContain("degenerate below speed of light");
    expect(text).toContain("1 problem has no kernel and counts as unsolved");
  });

  test("escapes user text", async () => {
    for (const entry of [MIXED, RUNNING]) expect(await entryPage({ ...ENTRY, entry })).not.toContain("<script>alert");
  });

  test("is live while kernels are unfinished, and shows their number", async () => {
    const page = await entryPage({ ...ENTRY, entry: RUNNING });
    expect(page).toContain('data-live="/kernelbench/entries/5/updates?after=1"');
    expect(words(page)).toContain("5 kernels: 1 waiting, 1 queued, 1 running, 1 judged, 1 lost.");
    expect(await entryPage(ENTRY)).toContain('data-live="no"');
  });

  test("is shown as stopped if kernels are waiting but none is queued", async () => {
    const entry = entryWith([solved(1, 1, 1), pending(1, 2, "waiting")]);
    expect(words(await entryPage({ ...ENTRY, entry }))).toContain("Stopped");
  });

  test.each([
    [{ level: 2 }, ["L2-1"]],
    [{ outcome: "wrong_result" }, ["L1-4"]],
    [{ outcome: "failed" }, ["L1-4", "L2-1"]],
    [{ outcome: "oracle" }, ["L1-2"]],
    [{ search: "differs L1-4" }, ["L1-4"]],
    [{ search: "nowhere" }, []],
  ] as const)("shows only the kernels that match %j", async (filter, keys) => {
    const page = await entryPage({ ...ENTRY, filter: { ...ALL_KERNELS, ...filter } });
    const table = page.slice(page.indexOf('<table class="kernels">'));
    const shown = page.includes('<table class="kernels">') ? [...table.matchAll(/>(L\d-\d+)</g)] : [];
    expect(shown.map(([, key]) => key)).toEqual(keys);
    expect(words(page)).toContain(keys.length === 0 ? "No matches among 5 kernels." : `${keys.length} of 5 kernels.`);
  });

  test("offers the possible actions to its owner", async () => {
    const page = await entryPage({ ...ENTRY, acts: { stop: true, resume: true, publish: true } });
    for (const act of ["stop", "resume", "publish"]) expect(page).toContain(`action="/kernelbench/entries/5/${act}"`);
    expect(await entryPage(ENTRY)).not.toContain('method="post" action="/kernelbench');
  });
});

describe("a problem", () => {
  const PROBLEM = problemOf(1, 1);
  const rows = [
    { entry: MIXED, result: failed(1, 1, "crash", HOSTILE), samples: { count: 0, of: 1 }, source: "print('wrong')" },
    { entry: MIXED, result: solved(1, 1, 1.5), samples: { count: 1, of: 1 }, source: "print('slow')" },
    { entry: RUNNING, result: { ...solved(1, 1, 2.5), sample: 3 }, samples: { count: 2, of: 4 }, source: null },
  ];
  const page = {
    ...EAGER,
    suite: SUITE,
    problem: PROBLEM,
    source: "class Model: ...",
    target: "H100",
    rows,
    visit: ANONYMOUS,
  };

  test("shows correct kernels first, fastest first, with their samples", async () => {
    const text = words(await suiteProblemPage(page));
    expect(text).toMatch(/Model B sample 3, best of 4 \(2 correct\).* 2\.500× .* 1\.500× .*crash/);
  });

  test("shows the reference model and the readable kernels, with the best one open", async () => {
    const shown = await suiteProblemPage(page);
    expect([...shown.matchAll(/<details class="kernel-code"\s*(open)?/g)].map(([, open]) => open)).toEqual([
      "open",
      undefined,
    ]);
    expect(shown).not.toContain("<script>alert");
  });

  test("shows why it is degenerate, and its reduced sizes", async () => {
    const inspection = { ...PROBLEM.inspection, degenerate: "independent", shrunk: { dim: [64, 8] } } as const;
    const text = words(
      await suiteProblemPage({
        ...page,
        rows: [],
        problem: { ...PROBLEM, inspection: { ...inspection, shrunk: { dim: [64, 8] } } },
      }),
    );
    expect(text).toContain("The output does not depend on the input");
    expect(text).toContain("dim 64 → 8");
    expect(text).toContain("No kernels for this problem on H100 yet.");
  });
});

test("the matrix shows a letter for each failure and a speedup for each correct kernel, by problem key", async () => {
  const results = new Map([[MIXED.id, [...MIXED.results].reverse()]]);
  const page = await matrixPage({
    suite: SUITE,
    target: "H100",
    entries: [MIXED],
    results,
    ...EAGER,
    visit: ANONYMOUS,
  });
  const cells = [...page.matchAll(/<td[^>]*>([^<]*)<\/td>/g)].map(([, text]) => text);
  expect(cells).toEqual(["✓ 1.6×", "O 0.70×", "✓ 900×", "W", "C", "–"]);
});

test("the matrix shows speedups over the compiled model, or a notice if that was not timed", async () => {
  const compiledNs = { value: 500_000, low: 500_000, high: 500_000 };
  const page = {
    suite: SUITE,
    target: "H100",
    baseline: { kind: "compiled" },
    stored: [],
    baselines: ["lab"],
  } as const;
  const shown = async (result: ReturnType<typeof solved>) => {
    const results = new Map([[MIXED.id, [result]]]);
    return words(await matrixPage({ ...page, entries: [MIXED], results, visit: ANONYMOUS }));
  };
  const text = await shown({ ...solved(1, 1, 1.6), compiledNs });
  expect(text).toContain("speedup over the compiled model");
  expect(text).toContain("✓ 0.80×");
  expect(await shown(solved(1, 1, 1.6))).toContain("No kernel here was timed against the compiled model.");
});

test("a matrix of 250 problems and 20 models is smaller than half a megabyte", async () => {
  const problems = Array.from({ length: 250 }, (_, at) => problemOf(1, at + 1));
  const entries = Array.from({ length: 20 }, (_, id) => ({ ...MIXED, id }));
  const own = problems.map(({ problem }) => solved(1, problem, 1.25));
  const results = new Map(entries.map(({ id }) => [id, own]));
  const page = await matrixPage({
    suite: { ...SUITE, problems },
    target: "H100",
    entries,
    results,
    ...EAGER,
    visit: ANONYMOUS,
  });
  expect(page.length).toBeLessThan(500_000);
});

test("all faults of a rejected file are listed, errors first", async () => {
  const faults = [
    { key: null, severity: "warning", what: "5 problems have no kernel" },
    { key: HOSTILE, severity: "error", what: "this is no key" },
  ] as const;
  const page = await entrySubmitPage({
    suites: [SUITE],
    fields: { on: "kernelbench cpu", compiled: true },
    checked: {
      fileName: HOSTILE,
      check: { ok: false, faults: [...faults], levels: [{ level: 1, submitted: 0, problems: 4 }], kernels: 1 },
    },
    visit: visitBy("ada"),
  });
  expect(words(page)).toMatch(
    /File rejected .* 1 error and 1 warning.*error this is no key.*the file warning 5 problems/,
  );
  expect(page).not.toContain("<script>alert");
  expect(page).toMatch(/value="kernelbench cpu"\s+selected/);
});

test("a visitor gets a sign-in link instead of the submission form", async () => {
  const page = await entrySubmitPage({
    suites: [SUITE],
    fields: { on: "", compiled: false },
    checked: null,
    visit: ANONYMOUS,
  });
  expect(page).not.toContain('action="/kernelbench/submit"');
  expect(page).toContain("/sign-in?next=%2Fkernelbench%2Fsubmit");
});

test("a suite shows its origin, the number of problems by level, and degenerate problems", async () => {
  const text = words(await suitesPage({ suites: [SUITE], visit: ANONYMOUS }));
  expect(text).toContain("level 1: 4, level 2: 1, level 3: 1");
  expect(text).toContain("1 degenerate problem is excluded from the robust figures: L1-3");
  expect(text).toContain("https://example.org/KernelBench at 1234567");
});
