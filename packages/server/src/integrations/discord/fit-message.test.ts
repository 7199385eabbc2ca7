import { expect, test } from "vitest";
import { fitMessage } from "./fit-message.ts";

test("a short message is unchanged; a longer one shows its beginning and attaches the full text", () => {
  const short = { content: "x".repeat(2000) };
  expect(fitMessage(short)).toBe(short);
  for (const letter of ["x", "`", "🚀"]) {
    const content = letter.repeat(2001);
    const { content: shown, files } = fitMessage({ content, files: [{ name: "kernel.py", data: "pass" }] });
    expect(shown.length).toBeLessThanOrEqual(2000);
    expect(shown).toMatch(/^```\n[^]+\n```\nThe full text is attached\.$/);
    expect(files?.map(({ name }) => name)).toEqual(["kernel.py", "whole.txt"]);
    expect(files?.[1]?.data).toBe(content);
  }
});
