/** Writes the packages of the libraries: JavaScript with types and source maps, one file per source. */
import { execFile } from "node:child_process";
import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { promisify } from "node:util";
import { ROOT } from "./bundle.ts";
import { published, readManifest, writeManifest } from "./package-folder.ts";

/** Folders in `packages/` of the libraries that are published. */
export const LIBRARIES = ["core", "api", "dataset"] as const;

/** Node.js that the sources are written for. */
const OLDEST_NODE = "22.18";

/** Builds `packages/NAME` of each library in a folder. @returns their paths */
export async function buildLibraries(output: string): Promise<string[]> {
  const emitted = join(output, "libraries");
  await rm(emitted, { recursive: true, force: true });
  const compiler = join(ROOT, "node_modules/ts7/bin/tsc");
  const project = join(import.meta.dirname, "tsconfig.json");
  await promisify(execFile)(process.execPath, [compiler, "-p", project, "--outDir", emitted]);
  const folders = await Promise.all(
    LIBRARIES.map((name) =>
      buildLibrary(name, join(emitted, name, "src"), join(output, "packages", `kernelbot-${name}`)),
    ),
  );
  await rm(emitted, { recursive: true });
  return folders;
}

async function buildLibrary(name: string, emitted: string, folder: string): Promise<string> {
  const workspace = join(ROOT, "packages", name);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await cp(emitted, join(folder, "dist"), { recursive: true });
  // The source maps name the sources.
  await cp(join(workspace, "src"), join(folder, "src"), {
    recursive: true,
    filter: (source) => !/\.test\.ts$/.test(source),
  });
  for (const file of await readdir(join(folder, "dist"), { recursive: true })) {
    const path = join(folder, "dist", file);
    if (/\.(d\.ts|js)$/.test(file)) await writeFile(path, withBuiltNames(await readFile(path, "utf8")));
    if (file.endsWith(".js.map"))
      await writeFile(path, withOwnSources(await readFile(path, "utf8"), join(folder, "src"), dirname(path)));
  }
  const own = await readManifest(workspace);
  await writeManifest(folder, {
    ...published(own),
    engines: { node: `>=${OLDEST_NODE}` },
    exports: Object.fromEntries(
      Object.entries(own.exports ?? {}).map(([key, path]) => {
        const built = path.replace("./src/", "./dist/").replace(/\.ts$/, "");
        return [key, { types: `${built}.d.ts`, default: `${built}.js` }];
      }),
    ),
    dependencies: own.dependencies,
    files: ["dist", "src"],
  });
  return folder;
}

/** Names the JavaScript files where the compiler leaves the sources: in declarations, and in URLs of threads. */
function withBuiltNames(text: string): string {
  return text
    .replaceAll(/((?:from|import\()\s*"\.[^"]*)\.ts"/g, '$1.js"')
    .replaceAll(/(new URL\("\.[^"]*)\.ts", import\.meta\.url\)/g, '$1.js", import.meta.url)');
}

/** Names the sources in the package instead of those of the repository. */
function withOwnSources(text: string, sources: string, folder: string): string {
  const map = JSON.parse(text) as { sources: string[] };
  const own = map.sources.map((source) =>
    relative(folder, join(sources, source.replace(/^.*packages\/[^/]+\/src\//, ""))),
  );
  return JSON.stringify({ ...map, sources: own });
}
