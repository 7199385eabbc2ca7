/**
 * Draws the glyphs of the pictures of shared links, in Chromium, into `packages/web/src/assets/glyphs.bin`. To run after
 * a change of the fonts or of the sizes.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { deflateRawSync } from "node:zlib";
import { launchChromium } from "@kernelbot/testing/chromium.ts";

const SUBSETS = ["latin", "latin-ext", "greek", "cyrillic"];
const STYLES = { title: { weight: 650, size: 76 }, text: { weight: 400, size: 40 } };
const RANGES = [
  [0x20, 0x7e],
  [0xa0, 0x17f],
  [0x370, 0x3ff],
  [0x400, 0x45f],
  [0x1e00, 0x1eff],
  [0x2010, 0x2026],
  [0x2190, 0x2193],
];
const SIGNS = ["€", "™", "−", "≈", "≤", "≥"];

const { resolve } = createRequire(new URL("../packages/web/package.json", import.meta.url));
const characters = [
  ...RANGES.flatMap(([from = 0, to = 0]) =>
    Array.from({ length: to - from + 1 }, (_, at) => String.fromCodePoint(from + at)),
  ),
  ...SIGNS,
].filter((character) => /[\p{L}\p{N}\p{P}\p{S}]|^ $/u.test(character));
const fonts = SUBSETS.map((name) =>
  readFileSync(resolve(`@fontsource-variable/ibm-plex-sans/files/ibm-plex-sans-${name}-wght-normal.woff2`)).toString(
    "base64",
  ),
);

const browser = await launchChromium();
const page = await browser.newPage();
const drawn = await page.evaluate(draw, { fonts, characters, styles: STYLES });
await browser.close();

const pixels: number[] = [];
const styles = Object.fromEntries(
  drawn.map(({ style, ...metrics }) => [
    style,
    {
      ...metrics,
      glyphs: Object.fromEntries(
        metrics.glyphs.map(({ character, advance, left, top, width, alpha }) => {
          const offset = pixels.length;
          // 16 levels: the difference is invisible, and the file half as large.
          pixels.push(...alpha.map((value) => Math.round(value / 17)));
          return [character, [advance, left, top, width, width === 0 ? 0 : alpha.length / width, offset]];
        }),
      ),
    },
  ]),
);
const header = Buffer.from(JSON.stringify(styles));
const length = Buffer.alloc(4);
length.writeUInt32LE(header.length);
const file = deflateRawSync(Buffer.concat([length, header, Buffer.from(pixels)]), { level: 9 });
writeFileSync(new URL("../packages/web/src/assets/glyphs.bin", import.meta.url), file);
console.log(
  `${drawn.map(({ glyphs }) => glyphs.length).join(" and ")} glyphs, ${file.length} bytes, ${pixels.length} in memory`,
);

/** Runs in the browser. */
async function draw({
  fonts,
  characters,
  styles,
}: {
  fonts: string[];
  characters: string[];
  styles: Record<string, { weight: number; size: number }>;
}) {
  for (const [at, font] of fonts.entries()) {
    const face = new FontFace(`f${at}`, `url(data:font/woff2;base64,${font})`, { weight: "100 700" });
    document.fonts.add(await face.load());
  }
  const families = fonts.map((_, at) => `f${at}`).join(", ");
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 300;
  const context = canvas.getContext("2d", { willReadFrequently: true }) as CanvasRenderingContext2D;
  return Object.entries(styles).map(([style, { weight, size }]) => {
    const widthWith = (fallback: string, text: string): number => {
      context.font = `${weight} ${size}px ${families}, ${fallback}`;
      return context.measureText(text).width;
    };
    // A character that no font has is drawn by the fallback, whose widths differ.
    const known = characters.filter((each) => widthWith("serif", each) === widthWith("monospace", each));
    context.font = `${weight} ${size}px ${families}`;
    context.fillStyle = "#fff";
    const glyphs = known.map((character) => {
      const { width: advance } = context.measureText(character);
      context.clearRect(0, 0, 300, 300);
      context.fillText(character, 100, 200);
      const { data } = context.getImageData(0, 0, 300, 300);
      const alphaAt = (x: number, y: number): number => data[4 * (300 * y + x) + 3] ?? 0;
      let [left, top, right, bottom] = [300, 300, 0, 0];
      for (let y = 0; y < 300; y += 1)
        for (let x = 0; x < 300; x += 1)
          if (alphaAt(x, y) > 8) {
            [left, right] = [Math.min(left, x), Math.max(right, x + 1)];
            [top, bottom] = [Math.min(top, y), Math.max(bottom, y + 1)];
          }
      const width = Math.max(0, right - left);
      const alpha: number[] = [];
      for (let y = top; y < bottom; y += 1) for (let x = left; x < right; x += 1) alpha.push(alphaAt(x, y));
      return { character, advance: Math.round(advance * 100) / 100, left: left - 100, top: top - 200, width, alpha };
    });
    return { style, size, glyphs };
  });
}
