import { expect, test } from "vitest";
import { parseYaml, readYaml } from "./yaml.ts";

test("a document is parsed as YAML", () => {
  expect(parseYaml("a: 1\nb: &x [c, {d: e}]\nf: *x\n")).toEqual({ a: 1, b: ["c", { d: "e" }], f: ["c", { d: "e" }] });
  expect(parseYaml("")).toBeNull();
});

test.each([
  ["a repeated key", "a: 1\nb:\n  c: 1\n  c: 2\n", 'the key "c" is repeated at line 4, column 3'],
  [
    "a merge key without a mapping",
    "a: &a 1\nb: { <<: *a }\n",
    "the merge key << at line 2, column 6 must have a mapping",
  ],
  ["what is not YAML", "a: [1\n", /line 2/],
  ["a document that is too long", `a: ${"x".repeat(200_000)}`, "at most 200000 are allowed"],
])("%s is rejected with its position", (_, text, message) => {
  expect(() => parseYaml(text)).toThrow(message);
});

test("merge keys add the keys that a mapping does not have, as PyYAML reads them", () => {
  const text = `
tests:
  - &base { rows: 5, width: 7 }
  - { <<: *base, rows: 9 }
  - &last
    <<: [{ seed: 5, rows: 6 }, *base]
  - { <<: [*last, { more: 1 }], seed: 6 }
`;
  const tests = [
    { rows: 5, width: 7 },
    { rows: 9, width: 7 },
    { rows: 6, width: 7, seed: 5 },
    { rows: 6, width: 7, seed: 6, more: 1 },
  ];
  expect(parseYaml(text)).toEqual({ tests });
});

test.each([
  [
    "many mappings",
    `a: &a { b: [${"1, ".repeat(5_000)}] }\n${Array.from({ length: 50 }, (_, at) => `c${at}: { <<: *a }`).join("\n")}`,
  ],
  [
    "a chain of mappings",
    `a0: &a0 { b: 1 }\n${Array.from({ length: 60 }, (_, at) => `a${at + 1}: &a${at + 1} { x${at}: { <<: *a${at} }, y${at}: { <<: *a${at} } }`).join("\n")}`,
  ],
])("merge keys that repeat %s too often are rejected", (_, text) => {
  expect(() => parseYaml(text)).toThrow("its merge keys repeat more than 20000 values");
});

test("values that YAML 1.1 reads differently are found with their keys and lines", () => {
  const text = "a: no\nb: [010, 1_048_576]\nc: 1:30\nd: 1e-6\ne: 0b11\nf: 08\n";
  const { value, differences, withYaml11 } = readYaml(text);
  expect(value).toEqual({ a: "no", b: [10, "1_048_576"], c: "1:30", d: 1e-6, e: "0b11", f: 8 });
  expect(withYaml11(differences)).toEqual({ a: false, b: [8, 1_048_576], c: 90, d: "1e-6", e: 3, f: "08" });
  expect(differences.map(({ keys, line, source }) => `${keys.join(".")}:${line}:${source}`)).toEqual([
    "a:1:no",
    "b:2:010",
    "b:2:1_048_576",
    "c:3:1:30",
    "d:4:1e-6",
    "e:5:0b11",
    "f:6:08",
  ]);
  expect(withYaml11(differences.slice(0, 1))).toEqual({ ...(value as object), a: false });
});

test("values that both versions read alike are no differences", () => {
  const alike = [
    "true",
    "Null",
    "~",
    "",
    "0x10",
    ".5",
    "+7",
    "-3",
    "1.",
    "2.0",
    "1.5e+3",
    ".inf",
    "-.INF",
    "y",
    "text",
    '"no"',
    "2025-11-29",
  ];
  expect(readYaml(alike.map((text, at) => `k${at}: ${text}\n`).join("")).differences).toEqual([]);
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
