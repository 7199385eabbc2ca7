import { expect, test } from "vitest";
import { cell, code, fenced, plain, warning } from "./escape.ts";
import { table } from "./table.ts";

const HOSTILE = [
  "@everyone @here <@1> <@&2> <#3> </ping:4> <:emoji:5> <t:0:R>",
  "**bold** __under__ ~~strike~~ ||spoiler|| `code` ```block```",
  "[text](https://evil.example) https://evil.example discord.gg/abc discord.com/invite/abc",
  "# heading\n> quote\n- item\n1. item\n-# small",
  "\u202eleft\u200b\u2066right \u001b[31mred",
  "```\nout\n````",
];

test.each(HOSTILE)("plain(%j) has no mention, markup, link or line break", (text) => {
  const shown = plain(text);
  expect(shown).not.toMatch(/@\w|https:\/|\.gg|\.com|\n|[\u202e\u2066\u001b]/);
  expect(shown.replace(/\\./g, "")).not.toMatch(/[*_~|`<>[\]()#]/);
});

test.each(HOSTILE)("code(%j) cannot be ended by its content", (text) => {
  expect(code(text).slice(1, -1)).not.toMatch(/[`\n]/);
  expect(fenced(text).slice(4, -4)).not.toContain("```");
  expect(fenced(text)).toMatch(/^```\n[^]*[^`]\n```$/);
});

test("a time in an error is shown in the reader's time zone", () => {
  const closed = "the board x was closed at 2026-11-22T13:59:25.530Z; the modes test and benchmark stay open";
  expect(warning(closed)).toBe("⚠️ the board x was closed at <t:1795355965:f>; the modes test and benchmark stay open");
  expect(warning('"2026-19-39T29:59:59Z"')).toBe('⚠️ "2026\\-19\\-39T29:59:59Z"');
});

test("cells are padded or cut to the width of their column", () => {
  expect(cell("kernel.py", 12)).toBe("kernel.py   ");
  expect(cell("a-very-long-name.py", 8)).toBe("a-very-…");
  expect(Array.from(cell("🚀🚀🚀🚀", 3))).toHaveLength(3);
  expect(code("")).toBe("` `");
  expect(
    table(
      [
        ["A", 3],
        ["B", 2],
      ],
      [["```", "x\ny"]],
    ),
  ).toBe("```\nA   B\n--- --\n''' x…\n```");
});
