/** The picture that services show of a shared link: title, description and, of a board, how its best result developed. */
import { OPAQUE, type Glyphs, type GlyphStyle } from "./glyphs.ts";
import { encodePng } from "./png.ts";
import { drawable, linesOf } from "./text.ts";

/** Size in pixels, in the proportion that services show without cropping. */
export const PICTURE_WIDTH = 1200;
export const PICTURE_HEIGHT = 630;

export interface Picture {
  title: string;
  text: string;
  /** Corners of a falling line from left to right: x from the left, y from the top, as shares of its area, from 0 to 1. */
  trend: readonly (readonly [x: number, y: number])[];
}

const LEFT = 90;
const RIGHT = PICTURE_WIDTH - LEFT;
const PAPER = [252, 252, 250] as const;
const INK = { first: 0, colour: [25, 28, 30] } as const;
const QUIET = { first: OPAQUE + 1, colour: [89, 97, 101] } as const;
const GREEN = { first: 2 * (OPAQUE + 1), colour: [25, 108, 79] } as const;
type Pen = typeof INK | typeof QUIET | typeof GREEN;

/** For each pen, the colours from the paper's to its own. */
const PALETTE = [INK, QUIET, GREEN].flatMap(({ colour }) =>
  Array.from({ length: OPAQUE + 1 }, (_, opacity) =>
    PAPER.map((paper, at) => Math.round(paper + (((colour[at] ?? 0) - paper) * opacity) / OPAQUE)),
  ),
);

/** Draws a picture as PNG. Takes some milliseconds. */
export function drawPicture({ title, text, trend }: Picture, glyphs: Glyphs): Buffer {
  const pixels = new Uint8Array(PICTURE_WIDTH * PICTURE_HEIGHT);
  const write = (line: string, style: GlyphStyle, pen: Pen, y: number) =>
    drawLine(pixels, line, { style, source: glyphs.pixels }, pen, y);
  const width = RIGHT - LEFT;
  const titleLines = linesOf(drawable(title, glyphs.title), glyphs.title, width, 2);
  const textLines = linesOf(
    drawable(text, glyphs.text),
    glyphs.text,
    width,
    (trend.length > 0 ? 4 : 6) - titleLines.length,
  );
  write("KernelBot", glyphs.text, GREEN, 106);
  let y = 130;
  for (const line of titleLines) write(line, glyphs.title, INK, (y += 84));
  y += 14;
  for (const line of textLines) write(line, glyphs.text, QUIET, (y += 54));
  if (trend.length > 0) drawTrend(pixels, trend, Math.max(y + 40, 400));
  fill(pixels, QUIET.first + OPAQUE, [LEFT, RIGHT], [PICTURE_HEIGHT - 32, PICTURE_HEIGHT - 30]);
  return encodePng(pixels, PICTURE_WIDTH, PALETTE);
}

/** Draws a line of text whose baseline is at `y`. */
function drawLine(
  pixels: Uint8Array,
  line: string,
  { style, source }: { style: GlyphStyle; source: Uint8Array },
  { first }: Pen,
  y: number,
): void {
  let x = LEFT;
  for (const character of line) {
    const glyph = style.glyphs[character];
    if (glyph === undefined) continue;
    const [advance, left, top, width, height, offset] = glyph;
    for (let at = 0; at < width * height; at += 1) {
      const opacity = source[offset + at] ?? 0;
      if (opacity > 0) {
        const column = Math.round(x) + left + (at % width);
        pixels[(y + top + Math.floor(at / width)) * PICTURE_WIDTH + column] = first + opacity;
      }
    }
    x += advance;
  }
}

/** Draws steps from corner to corner, with a dot at each. */
function drawTrend(pixels: Uint8Array, trend: Picture["trend"], top: number): void {
  const bottom = PICTURE_HEIGHT - 60;
  const corners = trend.map(
    ([x, y]) => [Math.round(LEFT + x * (RIGHT - LEFT)), Math.round(top + y * (bottom - top))] as const,
  );
  const colour = GREEN.first + OPAQUE;
  for (const [at, [x, y]] of corners.entries()) {
    const [nextX, nextY] = corners[at + 1] ?? [RIGHT, y];
    fill(pixels, colour, [x, nextX + 3], [y - 3, y + 3]);
    fill(pixels, colour, [nextX - 3, nextX + 3], [Math.min(y, nextY), Math.max(y, nextY)]);
    drawDot(pixels, x, y);
  }
}

function fill(
  pixels: Uint8Array,
  colour: number,
  [left, right]: [number, number],
  [top, bottom]: [number, number],
): void {
  for (let y = top; y < bottom; y += 1) {
    pixels.fill(colour, y * PICTURE_WIDTH + left, y * PICTURE_WIDTH + Math.min(right, RIGHT));
  }
}

const RADIUS = 9;

function drawDot(pixels: Uint8Array, centreX: number, centreY: number): void {
  for (let y = -RADIUS - 1; y <= RADIUS + 1; y += 1)
    for (let x = -RADIUS - 1; x <= RADIUS + 1; x += 1) {
      const opacity = Math.round(OPAQUE * Math.min(1, Math.max(0, RADIUS + 0.5 - Math.hypot(x, y))));
      const at = (centreY + y) * PICTURE_WIDTH + centreX + x;
      if (opacity > (pixels[at] ?? 0) - GREEN.first) pixels[at] = GREEN.first + opacity;
    }
}
