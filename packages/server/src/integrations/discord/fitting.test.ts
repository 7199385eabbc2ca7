import { expect, test } from "vitest";
import { fitting } from "./fitting.ts";

test("a message that fits stays as it is; of a longer one the beginning is shown, and the whole is a file", () => {
  const short = { content: "x".repeat(2000) };
  expect(fitting(short)).toBe(short);
  for (const letter of ["x", "`", "🚀"]) {
    const content = letter.repeat(2001);
    const { content: shown, files } = fitting({ content, files: [{ name: "kernel.py", data: "pass" }] });
    expect(shown.length).toBeLessThanOrEqual(2000);
    expect(shown).toMatch(/^```\n[^]+\n```\nThe rest is in the file\.$/);
    expect(files?.map(({ name }) => name)).toEqual(["kernel.py", "whole.txt"]);
    expect(files?.[1]?.data).toBe(content);
  }
});
