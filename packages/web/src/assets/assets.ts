/** Assets of the pages, served from memory under names with a content hash. */
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { PATHS_FILE, type AssetFiles, type AssetPaths } from "./asset-files.ts";

export const ENCODINGS = ["br", "gzip"] as const;
export type Encoding = (typeof ENCODINGS)[number];

interface Asset {
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

/** Folder of the assets in a published package, which were bundled when it was built. */
const BUNDLED = new URL("./bundled/", import.meta.url);

let loaded: Promise<Assets> | undefined;

/** Returns the assets, loaded once and shared by all servers of the process. @throws if an asset does not compile. */
export function loadAssets(): Promise<Assets> {
  return (loaded ??= load());
}

async function load(): Promise<Assets> {
  const { paths, files } = existsSync(BUNDLED)
    ? await readBundled()
    : await (await import("./bundle.ts")).bundleAssets();
  return {
    paths,
    files: new Map(
      Object.entries(files).map(([name, bytes]) => [`/assets/${name}`, asset(name, Uint8Array.from(bytes))]),
    ),
  };
}

async function readBundled(): Promise<AssetFiles> {
  const names = (await readdir(BUNDLED)).filter((name) => name !== PATHS_FILE);
  const read = (name: string): Promise<Uint8Array> => readFile(new URL(name, BUNDLED));
  const files = await Promise.all(names.map(async (name) => [name, await read(name)] as const));
  const paths = JSON.parse(await readFile(new URL(PATHS_FILE, BUNDLED), "utf8")) as AssetPaths;
  return { paths, files: Object.fromEntries(files) };
}

const TYPES: Record<string, string> = {
  bin: "application/octet-stream",
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  png: "image/png",
  svg: "image/svg+xml",
  woff2: "font/woff2",
};

/** Formats that are compressed already. */
const COMPRESSED: ReadonlySet<string> = new Set(["bin", "png", "woff2"]);

function asset(path: string, bytes: Uint8Array<ArrayBuffer>): Asset {
  const ending = path.slice(path.lastIndexOf(".") + 1);
  const type = TYPES[ending];
  if (type === undefined) throw new Error(`unknown media type: ${path}`);
  return { type, bytes, encoded: COMPRESSED.has(ending) ? null : encoder(bytes) };
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
