import { expect, test } from "vitest";
import { kernelRow as row } from "@kernelbot/testing/dataset/kernel-rows.ts";
import { clusters, fingerprintsOfSource } from "./clusters.ts";
import { jaccard, nearPairs } from "./minhash.ts";

/** Returns a kernel of 40 lines whose calls are unique. */
function kernel(seed: number, name: string, changed = 0): string {
  const line = (at: number) =>
    `    ${name} = torch.f${at < changed ? 0 : seed}_${at}(${name}, data[${at}].g${seed}())\n`;
  return `def kernel(data):\n${Array.from({ length: 40 }, (_, at) => line(at)).join("")}    return ${name}\n`;
}

test("copies under other names and with few changes are one cluster, other kernels are none", () => {
  const sources = [kernel(1, "x"), kernel(1, "renamed"), kernel(1, "x", 1), kernel(2, "x"), kernel(1, "x")];
  const rows = sources.map((_, at) =>
    row(at + 1, { userId: `u${at % 4}`, userName: `user ${at % 4}`, scoreNs: 500 - at }),
  );
  const known = new Map(sources.map((source, at) => [`c${at + 1}`, fingerprintsOfSource(source, "a.py")]));
  const found = clusters([...rows, row(9, { codeKey: "c1", passed: false })], known);
  expect(found).toHaveLength(1);
  expect(found[0]).toMatchObject({ submissionId: 1, size: 4, users: ["user 0", "user 1", "user 2"], bestNs: 496 });
  expect(found[0]?.submissionIds).toEqual([1, 2, 3, 5]);
  expect(found[0]?.similarity).toBeGreaterThan(0.8);
  expect(found[0]?.similarity).toBeLessThan(1);
});

test("the same source of two users is a cluster, of one user it is not", () => {
  const known = new Map([["c1", fingerprintsOfSource(kernel(1, "x"), "a.py")]]);
  const mine = [row(1, { codeKey: "c1" }), row(2, { codeKey: "c1" })];
  expect(clusters(mine, known)).toEqual([]);
  expect(clusters([...mine, row(3, { codeKey: "c1", userId: "u2" })], known)).toMatchObject([
    { size: 2, similarity: 1, bestRankedBy: null },
  ]);
  const scored = [0.7, 0.6].map((value, at) =>
    row(at + 1, { codeKey: "c1", userId: `u${at}`, scoreNs: 500 - at, rankedBy: { ranking: "sol_score", value } }),
  );
  expect(clusters(scored, known)).toMatchObject([{ bestNs: 499, bestRankedBy: { value: 0.7 } }]);
});

test("sets that are 0.8 alike are found among thousands", () => {
  const set = (from: number) => Int32Array.from({ length: 90 }, (_, at) => from + at * 7919);
  const others = Array.from({ length: 1000 }, (_, at) => set(at * 1_000_003));
  const near = Int32Array.from([...set(0).slice(0, 85), ...set(5).slice(0, 5)]).toSorted();
  expect(jaccard(near, set(0))).toBeCloseTo(85 / 95);
  const { root, nearest } = nearPairs([...others, near], 0.8);
  expect(root(1000)).toBe(root(0));
  expect(nearest(1000)).toBeCloseTo(85 / 95);
  expect(new Set(others.map((_, at) => root(at))).size).toBe(1000);
});
