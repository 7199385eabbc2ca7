/** Bundles the sources of a program, with the libraries that it uses, into JavaScript. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import { build, type Plugin } from "esbuild";

export const ROOT = resolve(import.meta.dirname, "../..");

/** Oldest Node.js that runs the bundles. */
export const OLDEST_NODE = "20.19";

interface Bundle {
  /** Files that are started by path, relative to the root of the repository. */
  entries: readonly string[];
  external: readonly string[];
  /** Folder of the bundle. */
  outdir: string;
  /** Folder of the files that the program reads, laid out as the repository, relative to `outdir`. */
  files: string;
}

/** Writes the bundle. Entries become `NAME.js` in `outdir`, whose name `outputName` returns. */
export async function bundle({ entries, external, outdir, files }: Bundle): Promise<void> {
  const { outputFiles } = await build({
    entryPoints: Object.fromEntries(entries.map((entry) => [outputName(entry), join(ROOT, entry)])),
    // Not `outdir`: source maps name the sources relative to it, and must be the same for each.
    outdir: join(ROOT, "dist"),
    write: false,
    absWorkingDir: ROOT,
    bundle: true,
    splitting: true,
    platform: "node",
    target: `node${OLDEST_NODE}`,
    format: "esm",
    // Keeps names, so that stack traces can be read without the source map.
    minifyWhitespace: true,
    minifySyntax: true,
    // Node.js prints the line of an uncaught error.
    lineLimit: 160,
    sourcemap: true,
    sourcesContent: false,
    legalComments: "none",
    external: [...external],
    inject: [join(import.meta.dirname, "older-node.js")],
    define: { BUNDLE_OLDEST_NODE: JSON.stringify(OLDEST_NODE) },
    // Packages in CommonJS call it for the modules of Node.js.
    banner: {
      js: 'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);',
    },
    plugins: [locations(entries, files), oneLocale, withoutMaps],
    logLevel: "warning",
  });
  await mkdir(outdir, { recursive: true });
  await Promise.all(outputFiles.map(({ path, contents }) => writeFile(join(outdir, basename(path)), contents)));
}

/** Name of the bundled file of an entry, without its ending: `packages/cli/src/main.ts` is `cli-main`. */
function outputName(entry: string): string {
  const parts = entry.split("/").filter((part) => !["packages", "src", "bin"].includes(part));
  const name = basename(entry).replace(/\.m?[jt]s$/, "");
  return entry.includes("/bin/") ? name : [...parts.slice(0, -1), name].join("-");
}

/**
 * Lets modules find the files next to them: in the bundle, `import.meta.dirname` and `import.meta.url` of a module are its
 * place below `files`, and `new URL("./thread.ts", import.meta.url)` is the bundled file of that entry.
 */
function locations(entries: readonly string[], files: string): Plugin {
  return {
    name: "locations",
    setup(bundler) {
      bundler.onLoad({ filter: /\/(features|packages|tester)\/.*\.m?[jt]s$/ }, async ({ path }) => {
        const place = relative(ROOT, path);
        if (place.includes("node_modules")) return undefined;
        const text = await readFile(path, "utf8");
        const contents = text
          // As a namespace of the module, of which only what is used is bundled.
          .replace('import { z } from "zod"', 'import * as z from "zod"')
          .replaceAll(/new URL\("([^"]+\.ts)", import\.meta\.url\)/g, (whole, target: string) => {
            const entry = join(dirname(place), target);
            return entries.includes(entry) ? `new URL("./${outputName(entry)}.js", META_URL)` : whole;
          })
          .replaceAll("import.meta.dirname", `(import.meta.dirname + ${JSON.stringify(`/${files}/${dirname(place)}`)})`)
          .replaceAll("import.meta.url", `new URL(${JSON.stringify(`./${files}/${place}`)}, import.meta.url).href`)
          .replaceAll("META_URL", "import.meta.url");
        return { loader: path.endsWith(".ts") ? "ts" : "js", contents: toAscii(contents) };
      });
    },
  };
}

/**
 * Escapes the characters that are not ASCII, which are part of literals only: V8 keeps a file that contains one of them,
 * which esbuild leaves in templates and regular expressions, in twice the memory.
 */
function toAscii(source: string): string {
  return source.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Leaves out zod's messages in languages other than English, a third of its code. */
const oneLocale: Plugin = {
  name: "one-locale",
  setup(bundler) {
    bundler.onLoad({ filter: /\/node_modules\/zod\/v4\/locales\/index\.js$/ }, () => ({
      contents: 'export { default as en } from "./en.js";',
    }));
  },
};

/** A source map of one position. Without it, libraries make up most of the maps. */
const NO_MAP = Buffer.from('{"version":3,"sources":["library"],"mappings":"AAAA"}').toString("base64");

/** Leaves the libraries out of the source maps. */
const withoutMaps: Plugin = {
  name: "without-maps",
  setup(bundler) {
    bundler.onLoad({ filter: /\/node_modules\/.*\.m?js$/ }, async ({ path }) => ({
      loader: "js",
      contents: `${toAscii(await readFile(path, "utf8"))}\n//# sourceMappingURL=data:application/json;base64,${NO_MAP}`,
    }));
  },
};
