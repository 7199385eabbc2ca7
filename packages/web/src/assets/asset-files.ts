/** The files that pages load. */

/** Client scripts ("islands") that a page can load, each a file in `src/islands`. Every page loads `site`. */
export const ISLANDS = ["site", "live", "chart", "screen", "board", "keyboard", "dates", "editor", "frame"] as const;
export type Island = (typeof ISLANDS)[number];

/** URL paths of the assets. */
export interface AssetPaths {
  style: string;
  icon: string;
  /** Picture of shared links, 1200 x 630 pixels: services that show previews do not draw SVG. */
  preview: string;
  /** Glyphs of the pictures of shared links (`preview/glyphs.ts`). */
  glyphs: string;
  /** Fonts that every page uses. */
  fonts: readonly string[];
  islands: Record<Island, string>;
}

/** The bundled assets. */
export interface AssetFiles {
  paths: AssetPaths;
  /** Contents by file name. */
  files: Readonly<Record<string, Uint8Array>>;
}

/** Name of the file that contains the paths, where the assets are stored as files. */
export const PATHS_FILE = "paths.json";
