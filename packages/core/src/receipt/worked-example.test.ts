import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { meanOfCalls } from "../score/slow-calls.ts";
import { median, roundTime } from "../score/statistics.ts";
import type { SignedReceipt } from "./receipt.ts";

const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");
const text = read("../../../../docs/explanation/scoring.md");
const { receipt } = JSON.parse(read("receipt.vector.json")) as SignedReceipt;

test("the example of docs/explanation/scoring.md has the calls and figures of the committed receipt", () => {
  const [first] = receipt.cases;
  const rounds = first?.rounds ?? [];
  for (const [at, { candidateNs, referenceNs }] of rounds.entries()) {
    const [time, reference] = [roundTime(candidateNs), roundTime(referenceNs)];
    const row = [
      at + 1,
      candidateNs.join(", "),
      time,
      referenceNs.join(", "),
      reference,
      (reference / time).toFixed(4),
    ];
    expect(text).toContain(`| ${row.join(" | ")} |`);
  }
  const ratios = rounds.map((round) => roundTime(round.referenceNs) / roundTime(round.candidateNs));
  const times = rounds.map(({ candidateNs }) => roundTime(candidateNs));
  const all = meanOfCalls(rounds.flatMap(({ candidateNs }) => candidateNs));
  expect(text).toContain(`**${median(times)} ns**`);
  expect(text).toContain(`**${median(ratios).toFixed(4)}**`);
  const [least, most] = [Math.min(...ratios), Math.max(...ratios)];
  expect(text).toContain(`${least.toFixed(4)} to ${most.toFixed(4)}, widened ${(least / 1.02).toFixed(4)} to`);
  expect(text).toContain(`is ${all.toFixed(0)} ns, ${(all / median(times)).toFixed(4)} times its runtime`);
  expect(text).toContain(`**${receipt.score.rankedBy?.value.toFixed(4)}**`);
});
