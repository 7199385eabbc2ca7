/** Tests of the KernelBench pages. */
import { describe, expect, test } from "vitest";
import { HOSTILE, STRANGER, visitBy } from "../examples.ts";
import { entryPage } from "./entry.ts";
import type { EntryPage } from "./entry-page-data.ts";
import { entryWith, failed, MIXED, pending, problemOf, RUNNING, solved, SUITE } from "./examples.ts";
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
  visit: STRANGER,
};

describe("the models", () => {
  test("stand with their shares, each with what it is of", async () => {
    const said = words(await modelsPage(MODELS));
    expect(said).toContain("2/6 33.3 %");
    expect(said).toContain("Fast@1 (≥)");
    expect(said).toContain("of 2");
  });

  test("are chosen by links that keep the rest of the choice", async () => {
    const page = await modelsPage({ ...MODELS, choice: { figures: "robust", baseline: { kind: "compiled" } } });
    expect(page).toContain("/kernelbench?suite=kernelbench&amp;target=cpu&amp;figures=robust&amp;baseline=compiled");
    expect(page).toContain(
      "/kernelbench?suite=kernelbench&amp;target=H100&amp;figures=robust&amp;baseline=stored%3Ah100-2026",
    );
    // Of five problems, since one is degenerate; kernels that are correct only by the oracle count.
    expect(words(page)).toContain("2/5 40.0 %");
  });

  test("have no robust figure among the official ones", async () => {
    const column = async (figures: "official" | "robust") =>
      (await modelsPage({ ...MODELS, choice: { figures, baseline: { kind: "eager" } } })).includes(
        'data-name="GeoMean of all"',
      );
    expect([await column("official"), await column("robust")]).toEqual([false, true]);
  });

  test("that were not timed against a baseline have no speed-ups over it", async () => {
    const said = words(await modelsPage({ ...MODELS, entries: [UNTIMED] }));
    expect(said).toContain("Model A not timed against this baseline");
    expect(said).toContain("1/6 16.7 % – – – – 1/6 16.7 %");
  });

  test("that are not published, or not all judged, say so", async () => {
    const said = words(await modelsPage(MODELS));
    expect(said).toContain("Model B draft on its way");
    expect(said).not.toContain("Model A draft");
  });

  test("are followed while an entry is on its way", async () => {
    expect(await modelsPage(MODELS)).toContain('data-live="/kernelbench/updates?after=1"');
    expect(await modelsPage({ ...MODELS, entries: [MIXED] })).toContain('data-live="no"');
  });

  test("are missed where there are none, and so is a suite", async () => {
    expect(words(await modelsPage({ ...MODELS, entries: [] }))).toContain("No model is here yet.");
    const none = { ...MODELS, suites: [], shown: null, entries: [] };
    expect(words(await modelsPage(none))).toContain("An organiser adds one");
    expect(words(await modelsPage(none))).toContain("kernelbot kernelbench suite upload suite.json");
    expect(words(await modelsPage({ ...none, visit: visitBy("olga", ["organiser"]) }))).toContain("Add one");
  });
});

/** Entry whose kernel was not timed against the baseline. */
const UNTIMED = entryWith([{ ...solved(1, 1, 2), eagerNs: null }]);

const EAGER = { baseline: { kind: "eager" }, stored: [], baselines: [] } as const;

const ENTRY: EntryPage = {
  entry: MIXED,
  suite: SUITE,
  filter: ALL_KERNELS,
  baselines: [],
  stored: [],
  acts: { stop: false, resume: false, publish: false },
  updates: "/kernelbench/entries/5/updates?after=1",
  visit: STRANGER,
};

describe("an entry", () => {
  test("shows official figures beside robust ones, with both rules of Fast@p", async () => {
    const entry = entryWith([solved(1, 1, 1), solved(1, 2, 2)]);
    const said = words(await entryPage({ ...ENTRY, entry }));
    expect(said).toContain("Fast@1 2/6 ≥ 33.3 % &gt; 16.7 % 2/5 ≥ 40.0 % &gt; 20.0 %");
  });

  test("tells each speed-up with its interval, over the baseline by which the entry is scored", async () => {
    const compiledNs = { value: 500_000, low: 490_000, high: 520_000 };
    const entry = entryWith([{ ...solved(1, 1, 2), compiledNs }]);
    expect(words(await entryPage({ ...ENTRY, entry }))).toMatch(/Eager Speed-up .* 1\.000 ms 2\.000× 1\.978–2\.023×/);
    const compiled = { ...entry, score: { ...entry.score, baseline: { kind: "compiled" } } } as const;
    expect(words(await entryPage({ ...ENTRY, entry: compiled }))).toMatch(
      /Compiled Speed-up .* 500\.0 µs 1\.000× 0\.978–1\.041×/,
    );
  });

  test("marks what only the oracle takes, what is degenerate and what is faster than the hardware", async () => {
    const said = words(await entryPage(ENTRY));
    expect(said).toContain("correct by the oracle alone");
    expect(said).toContain("degenerate below the floor");
    expect(said).toContain("1 problem has no kernel and counts as unsolved");
  });

  test("escapes what its maker and its kernels say", async () => {
    for (const entry of [MIXED, RUNNING]) expect(await entryPage({ ...ENTRY, entry })).not.toContain("<script>alert");
  });

  test("is followed while kernels are on their way, and says how many", async () => {
    const page = await entryPage({ ...ENTRY, entry: RUNNING });
    expect(page).toContain('data-live="/kernelbench/entries/5/updates?after=1"');
    expect(words(page)).toContain("5 kernels: 1 waiting, 1 queued, 1 running, 1 judged, 1 lost.");
    expect(await entryPage(ENTRY)).toContain('data-live="no"');
  });

  test("says that it is stopped where nothing that waits was asked for", async () => {
    const entry = entryWith([solved(1, 1, 1), pending(1, 2, "waiting")]);
    expect(words(await entryPage({ ...ENTRY, entry }))).toContain("It is stopped");
  });

  test.each([
    [{ level: 2 }, ["L2-1"]],
    [{ outcome: "wrong_result" }, ["L1-4"]],
    [{ outcome: "failed" }, ["L1-4", "L2-1"]],
    [{ outcome: "oracle" }, ["L1-2"]],
    [{ search: "differs L1-4" }, ["L1-4"]],
    [{ search: "nowhere" }, []],
  ] as const)("shows the kernels of %j alone", async (filter, keys) => {
    const page = await entryPage({ ...ENTRY, filter: { ...ALL_KERNELS, ...filter } });
    const table = page.slice(page.indexOf('<table class="kernels">'));
    const shown = page.includes('<table class="kernels">') ? [...table.matchAll(/>(L\d-\d+)</g)] : [];
    expect(shown.map(([, key]) => key)).toEqual(keys);
    expect(words(page)).toContain(
      keys.length === 0 ? "None of 5 kernels is like that." : `${keys.length} of 5 kernels.`,
    );
  });

  test("offers to its owner what may be done", async () => {
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
    visit: STRANGER,
  };

  test("shows correct kernels first, from fast to slow, and which of several samples each is", async () => {
    const said = words(await suiteProblemPage(page));
    expect(said).toMatch(/Model B sample 3, the best of 4, of which 2 are correct.* 2\.500× .* 1\.500× .*crash/);
  });

  test("shows its model and the code that one may see, the best one open", async () => {
    const shown = await suiteProblemPage(page);
    expect([...shown.matchAll(/<details class="kernel-code"\s*(open)?/g)].map(([, open]) => open)).toEqual([
      "open",
      undefined,
    ]);
    expect(shown).not.toContain("<script>alert");
  });

  test("says why it is degenerate, and what was made smaller", async () => {
    const inspection = { ...PROBLEM.inspection, degenerate: "independent", shrunk: { dim: [64, 8] } } as const;
    const said = words(
      await suiteProblemPage({
        ...page,
        rows: [],
        problem: { ...PROBLEM, inspection: { ...inspection, shrunk: { dim: [64, 8] } } },
      }),
    );
    expect(said).toContain("Its output does not depend on its input");
    expect(said).toContain("dim 64 → 8");
    expect(said).toContain("No model has a kernel for it on H100 yet.");
  });
});

test("the matrix has a letter for what failed and a speed-up for what is correct, by the problem's key", async () => {
  const results = new Map([[MIXED.id, [...MIXED.results].reverse()]]);
  const page = await matrixPage({ suite: SUITE, target: "H100", entries: [MIXED], results, ...EAGER, visit: STRANGER });
  const cells = [...page.matchAll(/<td[^>]*>([^<]*)<\/td>/g)].map(([, text]) => text);
  expect(cells).toEqual(["✓ 1.6×", "O 0.70×", "✓ 900×", "W", "C", "–"]);
});

test("the matrix has speed-ups over the compiled model where that was timed, and says so where it was not", async () => {
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
    return words(await matrixPage({ ...page, entries: [MIXED], results, visit: STRANGER }));
  };
  const said = await shown({ ...solved(1, 1, 1.6), compiledNs });
  expect(said).toContain("speed-up over the compiled model");
  expect(said).toContain("✓ 0.80×");
  expect(await shown(solved(1, 1, 1.6))).toContain("No kernel here was timed against the compiled model.");
});

test("a matrix of 250 problems and 20 models has less than half a megabyte", async () => {
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
    visit: STRANGER,
  });
  expect(page.length).toBeLessThan(500_000);
});

test("a file that is refused has all its faults listed, the errors first", async () => {
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
    /This file is refused .* 1 error and 1 warning.*error this is no key.*the file warning 5 problems/,
  );
  expect(page).not.toContain("<script>alert");
  expect(page).toMatch(/value="kernelbench cpu"\s+selected/);
});

test("who is not signed in is sent to do so before a file can be handed in", async () => {
  const page = await entrySubmitPage({
    suites: [SUITE],
    fields: { on: "", compiled: false },
    checked: null,
    visit: STRANGER,
  });
  expect(page).not.toContain('action="/kernelbench/submit"');
  expect(page).toContain("/sign-in?next=%2Fkernelbench%2Fsubmit");
});

test("a suite says where it comes from, how many problems each level has, and which say little", async () => {
  const said = words(await suitesPage({ suites: [SUITE], visit: STRANGER }));
  expect(said).toContain("level 1: 4, level 2: 1, level 3: 1");
  expect(said).toContain("1 problem says little, and is left out of the robust figures: L1-3");
  expect(said).toContain("https://example.org/KernelBench at 1234567");
});
