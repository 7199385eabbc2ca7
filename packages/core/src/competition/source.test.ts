import { expect, test } from "vitest";
import { readCompetitionSource } from "./source.ts";

const FILE = `
name: A challenge, the first
deadline: ""
description: Two kernels.
problems:
  - {directory: first/fp8-mm, name: first-fp8-mm, deadline: "2025-09-02", gpus: [MI300]}
  - {directory: first/moe, name: first-moe, deadline: "2025-11-29 6:59"}
`;
const changed = (from: string, to: string) => readCompetitionSource("first", FILE.replace(from, to));

test("a file that names directories is a competition that starts on import, and ends per problem", () => {
  const source = readCompetitionSource("First Kernels", FILE);
  expect(source?.directories).toEqual([
    { directory: "first/fp8-mm", name: "first-fp8-mm", gpus: ["MI300"] },
    { directory: "first/moe", name: "first-moe", gpus: null },
  ]);
  const calls: number[] = [];
  const spec = source?.spec((firstEnd) => {
    calls.push(firstEnd);
    return Date.parse("2025-06-01T00:00:00Z");
  });
  expect(calls).toEqual([Date.parse("2025-09-02T00:00:00Z")]);
  expect(spec).toMatchObject({
    name: "first-kernels",
    title: "A challenge, the first",
    description: "Two kernels.",
    startsAt: "2025-06-01T00:00:00.000Z",
    endsAt: "2025-11-29T06:59:00.000Z",
    problems: [
      { name: "first-fp8-mm", endsAt: "2025-09-02T00:00:00.000Z" },
      { name: "first-moe", endsAt: null },
    ],
  });
});

test("a native file is parsed as such, and an unrelated file is not a competition", () => {
  const ours =
    "name: spring\ntitle: Spring\nstarts_at: 2026-03-01T12:00:00Z\nends_at: 2026-04-01T12:00:00Z\nproblems: [a]\n";
  expect(readCompetitionSource("x", ours)).toMatchObject({ directories: [], isWhole: true });
  expect(() => readCompetitionSource("x", ours.replace("starts_at", "begins_at"))).toThrow("unknown key begins_at");
  expect(readCompetitionSource("mkdocs", "site_name: Kernels\n")).toBeNull();
  expect(readCompetitionSource("list", "- 1\n")).toBeNull();
});

test.each([
  ['"2025-09-02"', '"2025-02-30"', 'problems.0.deadline: "2025-02-30" is not a valid date; write YYYY-MM-DD'],
  ['"2025-09-02"', '"soon"', 'problems.0.deadline: "soon" is not a valid date'],
  ['"2025-09-02"', '"2025-09-02 25:00"', "is not a valid date"],
  ['"2025-09-02"', '""', "problems.0.deadline: it is missing"],
  [', deadline: "2025-09-02"', "", "problems.0.deadline: it is missing; write YYYY-MM-DD or YYYY-MM-DD HH:MM, in UTC"],
  ['deadline: ""', 'deadline: "later"', "deadline: "],
  ["gpus: [MI300]", "gpu: [MI300]", "problems.0: "],
  ["first-moe", "First MoE", "problems.1.name: use lower-case letters"],
  ["name: A", "title: A", "name: "],
])("%s as %s is an error that names its key", (from, to, why) => {
  expect(() => changed(from, to)).toThrow(why);
});

test.each(["2025-09-02", "2025-9-2", "2025-09-02 06:59", "2025-09-02 6:59"])(
  "%j is parsed as a deadline",
  (deadline) => {
    expect(changed("2025-09-02", deadline)).not.toBeNull();
  },
);
