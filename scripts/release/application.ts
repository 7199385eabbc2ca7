/** Writes the package of a program. */
import { existsSync } from "node:fs";
import { cp, mkdir, rm, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { CHECKSUMS, DOWNLOADS } from "../../packages/server/src/downloads/downloads.ts";
import { PATHS_FILE } from "../../packages/web/src/assets/asset-files.ts";
import { bundleAssets } from "../../packages/web/src/assets/bundle.ts";
import type { Application } from "./applications.ts";
import { bundle, OLDEST_NODE, ROOT } from "./bundle.ts";
import { PURE_TAG } from "./client-wheel.ts";
import { published, readManifest, writeManifest } from "./package-folder.ts";
import { writeWheelParts } from "./wheel.ts";

/** Files that only development needs. */
const UNUSED = /(^|\/)(__pycache__|build|node_modules|[^/]*\.test\.ts)(\/|$)/;

/**
 * Builds `packages/NAME` of a folder. @returns its path
 * @throws if it serves downloads and the folder has none.
 */
export async function buildApplication(application: Application, output: string): Promise<string> {
  const { name, workspace, entries, external, files, servesSite } = application;
  const folder = join(output, "packages", name);
  const downloads = join(output, "downloads");
  if (servesSite && !existsSync(join(downloads, CHECKSUMS))) {
    throw new Error(
      `${name} contains its downloads, but ${downloads} has no ${CHECKSUMS}: write them first, as build() does`,
    );
  }
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await bundle({ entries, external, outdir: join(folder, "dist"), files: "../files" });
  for (const file of files) {
    await cp(join(ROOT, file), join(folder, "files", file), {
      recursive: true,
      filter: (source) => !UNUSED.test(source.slice(ROOT.length)),
    });
  }
  if (servesSite) {
    await writeAssets(join(folder, "files/packages/web/src/assets/bundled"));
    const offered = join(folder, "files", relative(ROOT, DOWNLOADS));
    // Without the wheels of the runner, which would repeat the executables.
    const repeats = (source: string) => source.endsWith(".whl") && !source.endsWith(`${PURE_TAG}.whl`);
    await cp(downloads, offered, { recursive: true, filter: (source) => !repeats(source) });
    await writeWheelParts(downloads, offered);
  }
  const own = await readManifest(join(ROOT, workspace));
  const isExternal = ([dependency]: [string, unknown]): boolean =>
    external.some((each) => dependency.startsWith(each.replace("*", "")));
  await writeManifest(folder, {
    ...published(own),
    name,
    engines: { node: `>=${OLDEST_NODE}` },
    bin: { [name]: `./dist/${name}.js` },
    files: ["dist", "files"],
    optionalDependencies: Object.fromEntries(Object.entries(own.optionalDependencies ?? {}).filter(isExternal)),
  });
  return folder;
}

async function writeAssets(folder: string): Promise<void> {
  const { paths, files } = await bundleAssets();
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, PATHS_FILE), JSON.stringify(paths));
  for (const [name, bytes] of Object.entries(files)) await writeFile(join(folder, name), bytes);
}
