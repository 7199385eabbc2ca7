import { expect, test } from "vitest";
import { parseYaml } from "./yaml.ts";

test("a document is parsed as YAML", () => {
  expect(parseYaml("a: 1\nb: &x [c, {d: e}]\nf: *x\n")).toEqual({ a: 1, b: ["c", { d: "e" }], f: ["c", { d: "e" }] });
  expect(parseYaml("")).toBeNull();
});

test.each([
  ["a repeated key", "a: 1\nb:\n  c: 1\n  c: 2\n", 'the key "c" is repeated at line 4, column 3'],
  ["what is not YAML", "a: [1\n", /line 2/],
  ["a document that is too long", `a: ${"x".repeat(200_000)}`, "at most 200000 are allowed"],
])("%s is rejected with its position", (_, text, message) => {
  expect(() => parseYaml(text)).toThrow(message);
});

test("ten thousand keys take time in proportion to their number", () => {
  const keys = (count: number) => Array.from({ length: count }, (_, at) => `key_${at}: 1`).join("\n");
  const cpuMs = (text: string) => {
    const before = process.threadCpuUsage();
    parseYaml(text);
    return process.threadCpuUsage(before).user / 1000;
  };
  cpuMs(keys(1000));
  // A pairwise comparison of keys would take a hundred times as long for ten times as many keys.
  expect(cpuMs(keys(10_000))).toBeLessThan(50 * Math.max(cpuMs(keys(1000)), 5));
});
