/** Glyphs of the pictures of shared links, drawn in advance by `scripts/generate-preview-glyphs.ts`. */
import { inflateRawSync } from "node:zlib";

/** Opacity of the darkest pixels of a glyph, on a scale from 0. */
export const OPAQUE = 15;

/** Positions are in pixels, from the origin of the glyph on the baseline. */
type Glyph = [advance: number, left: number, top: number, width: number, height: number, offset: number];

/** Glyphs of a font in one size and weight, by character. */
export interface GlyphStyle {
  glyphs: Readonly<Record<string, Glyph>>;
}

export interface Glyphs {
  title: GlyphStyle;
  text: GlyphStyle;
  /** Opacities of the pixels of all glyphs, each row by row from its offset. */
  pixels: Uint8Array;
}

/** Reads the file: the length of a JSON document, the document, and the opacities; compressed. */
export function readGlyphs(file: Uint8Array): Glyphs {
  const bytes = inflateRawSync(file);
  const end = 4 + bytes.readUInt32LE(0);
  const styles = JSON.parse(bytes.toString("utf8", 4, end)) as Omit<Glyphs, "pixels">;
  return { ...styles, pixels: bytes.subarray(end) };
}
