/** Pictures of shared links. The address of a picture contains its page and what it shows of it. */
import { drawPicture, readGlyphs, type Assets, type Glyphs, type Picture } from "@kernelbot/web";
import { z } from "zod";

/** Characters that an address contains of the title and of the text: about as many as the picture has room for. */
const MAX_TITLE = 80;
const MAX_TEXT = 240;
/** Number of corners of the line. */
const MAX_CORNERS = 20;
/** The line's coordinates are integers up to this in an address. */
const SCALE = 999;
/** Number of pictures in memory, each of some 10 kB: several services read a link that is shared. */
const MAX_KEPT = 50;

const Content = z.tuple([z.string(), z.string(), z.array(z.tuple([z.int(), z.int()]))]);

export interface Pictures {
  /** @param page Path and query of the page. */
  pathOf(page: string, picture: Picture): string;
  /** Returns the PNG of content that `pathOf` encoded. */
  draw(content: string): Uint8Array<ArrayBuffer>;
}

export function openPictures(assets: Assets): Pictures {
  const kept = new Map<string, Uint8Array<ArrayBuffer>>();
  let glyphs: Glyphs | undefined;
  return {
    pathOf: (page, picture) => `/pictures/${encode(picture)}.png?${new URLSearchParams({ page })}`,
    draw(content) {
      const known = kept.get(content);
      if (known !== undefined) return known;
      glyphs ??= readGlyphs((assets.files.get(assets.paths.glyphs) as { bytes: Uint8Array }).bytes);
      const drawn = Uint8Array.from(drawPicture(decode(content), glyphs));
      if (kept.size >= MAX_KEPT) kept.delete(kept.keys().next().value ?? "");
      kept.set(content, drawn);
      return drawn;
    },
  };
}

function encode({ title, text, trend }: Picture): string {
  const begin = (whole: string, most: number) => {
    const characters = Array.from(whole);
    return characters.length <= most ? whole : `${characters.slice(0, most - 1).join("")}…`;
  };
  const corners = trend.slice(-MAX_CORNERS).map(([x, y]) => [Math.round(x * SCALE), Math.round(y * SCALE)]);
  return Buffer.from(JSON.stringify([begin(title, MAX_TITLE), begin(text, MAX_TEXT), corners])).toString("base64url");
}

function decode(content: string): Picture {
  const [title, text, corners] = Content.parse(JSON.parse(Buffer.from(content, "base64url").toString()));
  return { title, text, trend: corners.map(([x, y]) => [x / SCALE, y / SCALE]) };
}
