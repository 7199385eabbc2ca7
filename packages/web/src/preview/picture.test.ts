import { readFileSync } from "node:fs";
import { inflateSync } from "node:zlib";
import { expect, test } from "vitest";
import { readGlyphs } from "./glyphs.ts";
import { drawPicture, PICTURE_HEIGHT, PICTURE_WIDTH } from "./picture.ts";
import { drawable, linesOf, widthOf } from "./text.ts";

const glyphs = readGlyphs(readFileSync(new URL("../assets/glyphs.bin", import.meta.url)));
const { text } = glyphs;

test.each([
  ["Żółć, Ελένη, Иван: 12.3 µs ± 0.4 %", "Żółć, Ελένη, Иван: 12.3 µs ± 0.4 %"],
  ["Zoe\u0308", "Zoë"],
  ["a\u0000b\u202ec\u2066d\n\te", "abcd e"],
  ["led by 李 小龙 with 2 ns", "led by … with 2 ns"],
  ["شكرا", "…"],
  ["rocket 🚀👩🏽‍🚀🇩🇪 1", "rocket 1"],
  ["Z\u0337\u0353a\u0301\u0337lgo", "Zálgo"],
  ["© NVIDIA™, ®", "© NVIDIA™, ®"],
  ["", ""],
])("%j is drawn as %j", (given, drawn) => {
  expect(drawable(given, text)).toBe(drawn);
});

test("text breaks after spaces and hyphens, within long words, and ends with an ellipsis where it is cut", () => {
  expect(linesOf("one two-three", text, widthOf("one two- ", text), 3)).toEqual(["one two-", "three"]);
  expect(linesOf("one two", text, widthOf("one two", text), 1)).toEqual(["one two"]);
  expect(linesOf("abcabc", text, widthOf("abc", text), 2)).toEqual(["abc", "abc"]);
  const cut = linesOf("word ".repeat(200).trim(), text, 500, 2);
  expect(cut[1]).toMatch(/^word .*…$/);
  for (const line of cut) expect(widthOf(line, text)).toBeLessThanOrEqual(500);
});

test.each([
  [
    "a title of 200 characters",
    {
      title: "W".repeat(200),
      text: "i".repeat(5000),
      trend: [
        [0, 0],
        [1, 1],
      ] as const,
    },
  ],
  ["control characters", { title: "\u0000\u001b[31m", text: "\u202e\u2067", trend: [] }],
  ["nothing", { title: "", text: "", trend: [] }],
])("a picture of %s is complete, and is not drawn over its edges", (_, picture) => {
  const png = drawPicture(picture, glyphs);
  expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([PICTURE_WIDTH, PICTURE_HEIGHT]);
  const start = png.indexOf("IDAT");
  const rows = inflateSync(png.subarray(start + 4, start + 4 + png.readUInt32BE(start - 4)));
  expect(rows).toHaveLength(PICTURE_HEIGHT * (PICTURE_WIDTH + 1));
  for (let y = 0; y < PICTURE_HEIGHT; y += 1) {
    const row = rows.subarray(y * (PICTURE_WIDTH + 1), (y + 1) * (PICTURE_WIDTH + 1));
    expect(row.subarray(0, 70).every((pixel) => pixel === 0)).toBe(true);
    expect(row.subarray(PICTURE_WIDTH - 70).every((pixel) => pixel === 0)).toBe(true);
  }
});
