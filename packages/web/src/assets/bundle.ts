/** Bundles the assets of the pages. */
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { build, stop, type Metafile } from "esbuild";
import { ISLANDS, type AssetFiles, type AssetPaths, type Island } from "./asset-files.ts";

/** Bundles the style sheet, the icon, the fonts and the islands. @throws if one does not compile. */
export async function bundleAssets(): Promise<AssetFiles> {
  const islands = ISLANDS.map((name) => [name, source(`../islands/${name}.ts`)] as const);
  const result = await build({
    entryPoints: Object.fromEntries([
      ["style", source("../style/index.css")],
      ["icon", source("./icon.svg")],
      ["preview", source("./preview.png")],
      ["glyphs", source("./glyphs.bin")],
      ...islands,
    ]),
    outdir: "/assets",
    // The hashes in the names depend on the paths relative to it.
    absWorkingDir: import.meta.dirname,
    entryNames: "[name]-[hash]",
    chunkNames: "shared-[hash]",
    assetNames: "[name]-[hash]",
    loader: { ".woff2": "file", ".svg": "copy", ".png": "copy", ".bin": "copy" },
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
    files: Object.fromEntries(result.outputFiles.map(({ path, contents }) => [basename(path), contents])),
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
    preview: find("preview", "png"),
    glyphs: find("glyphs", "bin"),
    fonts: ["ibm-plex-sans-latin-wght-normal", "ibm-plex-mono-latin-400-normal"].map((name) => find(name, "woff2")),
    islands: Object.fromEntries(ISLANDS.map((name) => [name, find(name, "js")])) as Record<Island, string>,
  };
}
