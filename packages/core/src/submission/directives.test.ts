import { expect, test } from "vitest";
import { readDirectives, requireDirectives } from "./directives.ts";

test("directives of the existing format are parsed", () => {
  expect(readDirectives("#!POPCORN leaderboard vectoradd\n#!POPCORN gpu H100\nimport torch")).toEqual({
    board: "vectoradd",
    targets: ["H100"],
  });
});

test("KERNELBOT directives name the board and several targets", () => {
  expect(readDirectives("#!KERNELBOT board matmul\r\n#!KERNELBOT target cpu, H100")).toEqual({
    board: "matmul",
    targets: ["cpu", "H100"],
  });
});

test("a C++ file writes its directives as comments", () => {
  expect(readDirectives("//!POPCORN leaderboard sort\n")).toEqual({ board: "sort" });
});

test("other comments and unknown words are not directives", () => {
  expect(readDirectives("#!/usr/bin/env python3\n# POPCORN leaderboard x\n#!POPCORN colour red")).toEqual({});
});

test("a very long line is parsed in linear time", () => {
  const spaces = " ".repeat(500_000);
  expect(readDirectives(`#!POPCORN gpu a${spaces}b${spaces}`).targets).toEqual(["a", "b"]);
  expect(readDirectives(`#!${spaces}POPCOR`)).toEqual({});
});

test("a malformed directive is rejected", () => {
  for (const line of [
    "#!POPCORN",
    "#!POPCORN gpu",
    "#!POPCORN colour red",
    "//!KERNELBOT: board x",
    "#!POPCORN constructor x",
  ]) {
    expect(() => requireDirectives(`${line}\n`)).toThrow(`line 1, "${line}": `);
  }
  expect(() => requireDirectives("#!POPCORN gpu A100\n#!POPCORN gpus H100")).toThrow(
    'another line has the value "A100"',
  );
});

test("valid directives and other lines are accepted", () => {
  const source = "#!/usr/bin/env python3\n# POPCORN leaderboard x\n#!POPCORN leaderboard y\n#!POPCORN leaderboard y\n";
  expect(requireDirectives(source)).toEqual({ board: "y" });
  const spaces = " ".repeat(500_000);
  expect(requireDirectives(`#!POPCORN gpu a${spaces}b${spaces}`).targets).toEqual(["a", "b"]);
});
