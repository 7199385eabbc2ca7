/** Assets of the pages: bundled once per process, and served from memory under names with a content hash. */
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { build, stop, type Metafile } from "esbuild";

/** Client scripts ("islands") that a page can load, each a file in `src/islands`. Every page loads `site`. */
export const ISLANDS = ["site", "live", "chart", "screen", "board", "keyboard", "dates", "editor"] as const;
export type Island = (typeof ISLANDS)[number];

/** URL paths of the assets. */
export interface AssetPaths {
  style: string;
  icon: string;
  /** Fonts that every page uses. */
  fonts: readonly string[];
  islands: Record<Island, string>;
}

export const ENCODINGS = ["br", "gzip"] as const;
export type Encoding = (typeof ENCODINGS)[number];

export interface Asset {
  type: string;
  bytes: Uint8Array<ArrayBuffer>;
  /** Returns the compressed bytes, computed at the first call. Null for formats that are already compressed. */
  encoded: ((encoding: Encoding) => Promise<Uint8Array<ArrayBuffer>>) | null;
}

export interface Assets {
  paths: AssetPaths;
  /** Assets by URL path. */
  files: ReadonlyMap<string, Asset>;
}

let built: Promise<Assets> | undefined;

/** Returns the assets, built once and shared by all servers of the process. @throws if an asset does not compile. */
export function buildAssets(): Promise<Assets> {
  return (built ??= bundle());
}

const TYPES: Record<string, string> = {
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
  woff2: "font/woff2",
};

async function bundle(): Promise<Assets> {
  const islands = ISLANDS.map((name) => [name, source(`../islands/${name}.ts`)] as const);
  const result = await build({
    entryPoints: Object.fromEntries([
      ["style", source("../style/index.css")],
      ["icon", source("./icon.svg")],
      ...islands,
    ]),
    outdir: "/assets",
    entryNames: "[name]-[hash]",
    chunkNames: "shared-[hash]",
    assetNames: "[name]-[hash]",
    loader: { ".woff2": "file", ".svg": "copy" },
    bundle: true,
    splitting: true,
    minify: true,
    format: "esm",
    target: "es2022",
    write: false,
    metafile: true,
  });
  // esbuild keeps a child process for the next build, but none follows.
  await stop();
  return {
    paths: pathsOf(result.metafile),
    files: new Map(
      result.outputFiles.map(({ path, contents }) => [
        `/assets/${basename(path)}`,
        asset(path, Uint8Array.from(contents)),
      ]),
    ),
  };
}

function source(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}

function pathsOf({ outputs }: Metafile): AssetPaths {
  const names = Object.keys(outputs).map((path) => basename(path));
  const find = (name: string, ending: string): string => {
    const found = names.find((built) => built.startsWith(`${name}-`) && built.endsWith(`.${ending}`));
    if (found === undefined) throw new Error(`the build produced no ${name}.${ending}`);
    return `/assets/${found}`;
  };
  return {
    style: find("style", "css"),
    icon: find("icon", "svg"),
    fonts: ["ibm-plex-sans-latin-wght-normal", "ibm-plex-mono-latin-400-normal"].map((name) => find(name, "woff2")),
    islands: Object.fromEntries(ISLANDS.map((name) => [name, find(name, "js")])) as Record<Island, string>,
  };
}

function asset(path: string, bytes: Uint8Array<ArrayBuffer>): Asset {
  const ending = path.slice(path.lastIndexOf(".") + 1);
  const type = TYPES[ending];
  if (type === undefined) throw new Error(`unknown media type: ${path}`);
  return { type, bytes, encoded: ending === "woff2" ? null : encoder(bytes) };
}

const COMPRESS: Record<Encoding, (bytes: Uint8Array) => Promise<Uint8Array<ArrayBuffer>>> = {
  // Quality 9 of 11: the last two levels take ten times as long and save only a few per cent.
  br: (bytes) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  gzip: (bytes) => promisify(gzip)(bytes),
};

function encoder(bytes: Uint8Array): Asset["encoded"] {
  const cache = new Map<Encoding, Promise<Uint8Array<ArrayBuffer>>>();
  return (encoding) => {
    const ready = cache.get(encoding) ?? COMPRESS[encoding](bytes);
    cache.set(encoding, ready);
    return ready;
  };
}
