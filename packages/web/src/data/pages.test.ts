/** Tests of the data pages. */
import { describe, expect, test } from "vitest";
import type { AnalysisTables, SnapshotDetails, SnapshotManifest } from "@kernelbot/core";
import { HOSTILE, ANONYMOUS, visitBy } from "@kernelbot/testing/web/examples.ts";
import { analysisPage } from "./analysis.ts";
import type { AnalysisPage } from "./analysis-page-data.ts";
import { dataPage } from "./list.ts";
import { snapshotPage } from "./snapshot.ts";

const AT = "2026-03-01T14:05:00.000Z";
const COMPETITION: SnapshotManifest["competitions"][number] = {
  name: "spring",
  title: HOSTILE,
  startedAt: AT,
  endedAt: AT,
  problems: ["sort"],
  targets: ["cpu"],
  submissions: 3,
  runs: 4,
  users: 2,
  withheld: 1,
  unfinished: 0,
  licences: { MIT: 3 },
};
const SNAPSHOT: SnapshotDetails = {
  id: 7,
  state: "ready",
  provisional: false,
  competitions: ["spring"],
  createdAt: AT,
  finishedAt: AT,
  progress: { done: 4, total: 4 },
  message: null,
  sizeBytes: 2048,
  publications: [
    {
      destination: "object_store",
      state: "done",
      filesDone: 1,
      filesTotal: 1,
      bytesDone: 1,
      bytesTotal: 1,
      url: "javascript:alert(1)",
      message: HOSTILE,
    },
  ],
  manifest: {
    format: "kernelbot-dataset-1",
    id: 7,
    createdAt: AT,
    asOf: AT,
    provisional: false,
    source: null,
    competitions: [COMPETITION],
    deduplication: "",
    withdrawn: [5],
    files: [{ path: "spring/code.parquet", sizeBytes: 2048, sha256: "a".repeat(64), rows: 3 }],
  },
};
const BOARD = { problem: HOSTILE, target: "cpu" };
const USE = { technique: HOSTILE, users: 2, share: 0.5, shareOfFastest: 1, medianNs: 10, medianWithoutNs: 20 };
const TABLES: AnalysisTables = {
  records: [
    { ...BOARD, submissionId: 1, userName: HOSTILE, submittedAt: AT, scoreNs: 2500 },
    { ...BOARD, submissionId: 2, userName: HOSTILE, submittedAt: "2026-03-02T14:05:00.000Z", scoreNs: 1500 },
  ],
  techniques: [{ ...BOARD, ...USE, medianRankedBy: null, medianWithoutRankedBy: null }],
};
const ANALYSIS: AnalysisPage = {
  visit: visitBy(HOSTILE),
  snapshot: { id: 7, competition: COMPETITION },
  tables: TABLES,
  board: null,
};
const snapshotOf = (snapshot: SnapshotDetails, card: string | null = null): Promise<string> =>
  snapshotPage({ visit: ANONYMOUS, snapshot, card, server: "https://example.org", mayPublish: false });

describe.each<[string, () => Promise<string>]>([
  [
    "list",
    () =>
      dataPage({
        visit: visitBy(HOSTILE),
        snapshots: [{ ...SNAPSHOT, licences: [HOSTILE] }],
        offered: [{ name: "spring", title: HOSTILE }],
        mayTakeAll: true,
        problem: HOSTILE,
      }),
  ],
  ["snapshot", () => snapshotOf(SNAPSHOT, `# Card\n\n${HOSTILE}`)],
  ["failed snapshot", () => snapshotOf({ ...SNAPSHOT, state: "failed", message: HOSTILE, manifest: null })],
  ["analysis", () => analysisPage(ANALYSIS)],
])("the page %s", (_, make) => {
  test("escapes user text and links only to web URLs", async () => {
    // Chart data is JSON, in which no element can begin.
    const page = (await make()).replace(/<script type="application\/json">[^<]*<\/script>/g, "");
    expect(page).toContain("&lt;script&gt;alert(1)");
    expect(page).not.toMatch(/<script>|<img|onerror=[^&]*>|href="javascript:/);
    expect(page).not.toContain(`"'>`);
  });
});

test("a snapshot shows why it is delayed, its pending publications, and why one failed", async () => {
  const [done] = SNAPSHOT.publications;
  const waiting = { ...done, destination: "hugging_face", state: "waiting", url: null, message: null } as const;
  const building = { ...SNAPSHOT, state: "building", sizeBytes: null, manifest: null } as const;
  const shown = (publications: SnapshotDetails["publications"], snapshot: SnapshotDetails = building) =>
    snapshotPage({
      visit: ANONYMOUS,
      snapshot: { ...snapshot, publications },
      card: null,
      server: "https://example.org",
      mayPublish: true,
    });
  const destination = { ...(done as SnapshotDetails["publications"][number]), ...waiting };
  expect(await shown([])).toContain("Publish on Hugging Face");
  expect(await shown([], { ...building, message: "the disk is full" })).toContain("Not created yet: the disk is full");
  const rendered = await shown([destination]);
  expect(rendered).toMatch(/To be published: Hugging Face\s+<small>queued<\/small>/);
  expect(rendered).not.toContain("Publish on Hugging Face");
  const failed = await shown([{ ...destination, state: "failed", message: "the token is refused" }], SNAPSHOT);
  expect(failed).toContain("Hugging Face: the token is refused");
});

test("an analysis shows the requested board, or the first one if the board is unknown", async () => {
  const other = { ...BOARD, problem: "scan", submissionId: 3, userName: "bob", submittedAt: AT, scoreNs: 10 };
  const tables = { ...TABLES, records: [...TABLES.records, other] };
  const shown = (board: AnalysisPage["board"]): Promise<string> => analysisPage({ ...ANALYSIS, tables, board });
  expect(await shown({ problem: "scan", target: "cpu" })).toContain("by bob on");
  expect(await shown(BOARD)).not.toContain("by bob on");
  expect(await shown({ problem: "nothing", target: "cpu" })).toBe(await shown(null));
});

const sol = (value: number) => ({ ranking: "sol_score" as const, value });

test("an analysis of a board that ranks by efficiency shows its scores instead of runtimes", async () => {
  const techniques = [{ ...BOARD, ...USE, medianRankedBy: sol(0.713), medianWithoutRankedBy: sol(0.613) }];
  const page = await analysisPage({ ...ANALYSIS, tables: { ...TABLES, techniques } });
  for (const score of ["0.713", "0.613"]) expect(page).toContain(score);
});

test("pending and failed analyses have a notice", async () => {
  expect(await analysisPage({ ...ANALYSIS, tables: "none" })).toContain("are being computed");
  expect(await analysisPage({ ...ANALYSIS, tables: "failed" })).toContain("could not be computed");
});
