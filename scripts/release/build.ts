/** Builds all that is published, in the order in which one part contains another. */
import { join, resolve } from "node:path";
import { buildApplication } from "./application.ts";
import { COMMAND_LINE, RUNNER, SERVER } from "./applications.ts";
import { writeDownloads } from "./downloads.ts";
import type { Platform } from "./executable.ts";
import { buildLibraries } from "./libraries.ts";

export interface BuildOptions {
  /** Folder that receives `packages/` and `downloads/`. */
  output: string;
  /** Platforms whose executables are made. */
  platforms: readonly Platform[];
}

/** Paths of what was built. */
export interface Build {
  /** Folders of the libraries' packages. */
  libraries: readonly string[];
  /** Folders of the programs' packages: the command line, the runner, the server. */
  programs: readonly string[];
  /** Folder of what servers offer to those who install from them. */
  downloads: string;
}

/** Writes the folders of the npm packages to `packages/`, and what servers offer to `downloads/`. */
export async function build({ output, platforms }: BuildOptions): Promise<Build> {
  const folder = resolve(output);
  const libraries = await buildLibraries(folder);
  const offered = await Promise.all([COMMAND_LINE, RUNNER].map((each) => buildApplication(each, folder)));
  const downloads = join(folder, "downloads");
  await writeDownloads(offered, platforms, downloads);
  // Last: it contains the downloads.
  const server = await buildApplication(SERVER, folder);
  return { libraries, programs: [...offered, server], downloads };
}
