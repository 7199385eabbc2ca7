import { expect, test } from "vitest";
import { parseProblem, type SubmissionTerms } from "@kernelbot/core";
import { HOSTILE, PASSED, ANONYMOUS, submissionOf, visitBy } from "@kernelbot/testing/web/examples.ts";
import type { EditorPage } from "./page-data.ts";
import { editorPage } from "./page.ts";

const TERMS: SubmissionTerms = {
  languages: ["py", "cpp"],
  targets: ["cpu", "H100"],
  ranked: { state: "open", opensAt: null, closesAt: null, targets: null },
  mayTakePart: true,
  profiles: true,
  hasApplication: true,
  competition: null,
  licence: null,
};

const { spec: SPEC } = parseProblem("vectoradd", {
  "task.yml": `
description: Adds.
tests: [{ size: 127, seed: 4242 }]
benchmarks: [{ size: 1024, seed: 54352 }]
targets: { cpu: , H100: }
tolerance: { rtol: 1e-5, atol: 0.5, reason: sums err }
`,
  "reference.py": "def ref_kernel(data): ...\n",
});

const PAGE: EditorPage = {
  visit: visitBy("ada"),
  problem: SPEC,
  terms: TERMS,
  starters: [{ name: "Python", language: "py", fileName: "kernel.py", source: "pass\n" }],
  fields: { fileName: "kernel.py", source: "pass\n", targets: ["cpu"], author: "human", model: "", licence: "" },
  origin: "starter",
  key: "0".repeat(32),
  submissions: [],
};

/** Returns the text of the page without tags. */
async function textOf(change: Partial<EditorPage>): Promise<string> {
  const page = await editorPage({ ...PAGE, ...change });
  return page.replace(/<[^>]*>/g, " ").replace(/\s+/g, " ");
}

test("user text is escaped", async () => {
  const page = await editorPage({
    visit: visitBy(HOSTILE),
    problem: { ...SPEC, description: HOSTILE },
    terms: { ...TERMS, competition: { name: "spring", title: HOSTILE, licence: "MIT" } },
    starters: [{ name: HOSTILE, language: "py", fileName: HOSTILE, source: "" }],
    fields: {
      fileName: HOSTILE,
      source: `</textarea>${HOSTILE}`,
      targets: [HOSTILE],
      author: HOSTILE,
      model: HOSTILE,
      licence: HOSTILE,
    },
    origin: "refused",
    refusal: HOSTILE,
    key: HOSTILE,
    submissions: [{ ...submissionOf(PASSED), fileName: HOSTILE }],
  });
  expect(page).not.toMatch(/<script>|<img|onerror=[^&]*>/);
  expect(page).not.toContain(`"'>`);
  expect(page.match(/<\/textarea/g)).toHaveLength(1);
});

test("each mode has a button and a description; a problem without profiles has no profile button", async () => {
  expect(await textOf({})).toMatch(/ Test .* Benchmark .* Submit .* Profile /);
  expect(await textOf({ terms: { ...TERMS, profiles: false } })).not.toContain("Profile");
});

test("a visitor gets a sign-in link that returns to the same language", async () => {
  const page = await editorPage({ ...PAGE, visit: ANONYMOUS, fields: { ...PAGE.fields, fileName: "fast.cpp" } });
  expect(page).toContain('href="/sign-in?next=%2Fproblems%2Fvectoradd%2Fsubmit%3Flanguage%3Dcpp"');
  expect(page).not.toContain('name="mode"');
});

test("the editor shows the required licence and when ranked submissions are accepted", async () => {
  const competition = { name: "spring", title: "Spring kernels", licence: "MIT" } as const;
  const bounds = { opensAt: "2026-03-01T12:00:00.000Z", closesAt: "2026-04-01T12:00:00.000Z", targets: null };
  expect(await textOf({ terms: { ...TERMS, competition } })).toContain(
    "Ranked submissions to Spring kernels are published under MIT",
  );
  expect(await textOf({ terms: { ...TERMS, ranked: { state: "before", ...bounds } } })).toMatch(
    /accepted from 2026-03-01 12:00 UTC/,
  );
  expect(await textOf({ terms: { ...TERMS, ranked: { state: "after", ...bounds } } })).toMatch(
    /Closed since 2026-04-01 12:00 UTC/,
  );
});

test("the page of a withdrawn problem has no form", async () => {
  const page = await editorPage({ ...PAGE, terms: { ...TERMS, targets: [] } });
  expect(page).toContain("no longer accepts submissions");
  expect(page).not.toContain("<textarea");
});

test("the statement is next to the editor, with the rules and the cases", async () => {
  const page = await textOf({});
  expect(page).toMatch(
    /Problem statement .*Adds\. .*Rules .*Correctness .*prepare \d+ s.* Cases .*1 test, seeds included .*127/,
  );
  expect(await editorPage(PAGE)).toMatch(/<details class="statement" open>/);
});
