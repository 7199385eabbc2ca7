import { expect, test } from "vitest";
import { readDirectives } from "./directives.ts";

test("a file says where it goes in today's words", () => {
  expect(readDirectives("#!POPCORN leaderboard vectoradd\n#!POPCORN gpu H100\nimport torch")).toEqual({
    board: "vectoradd",
    targets: ["H100"],
  });
});

test("our own words name the board and several targets", () => {
  expect(readDirectives("#!KERNELBOT board matmul\r\n#!KERNELBOT target cpu, H100")).toEqual({
    board: "matmul",
    targets: ["cpu", "H100"],
  });
});

test("a C++ file writes its directives as comments", () => {
  expect(readDirectives("//!POPCORN leaderboard sort\n")).toEqual({ board: "sort" });
});

test("other comments and unknown words are no directives", () => {
  expect(readDirectives("#!/usr/bin/env python3\n# POPCORN leaderboard x\n#!POPCORN colour red")).toEqual({});
});

test("a line as long as a whole file is read once, however its white space lies", () => {
  const spaces = " ".repeat(500_000);
  expect(readDirectives(`#!POPCORN gpu a${spaces}b${spaces}`).targets).toEqual(["a", "b"]);
  expect(readDirectives(`#!${spaces}POPCOR`)).toEqual({});
});
