/** Builds all that is published, in the order in which one part contains another. */
import { join, resolve } from "node:path";
import { buildApplication } from "./application.ts";
import { COMMAND_LINE, RUNNER, SERVER } from "./applications.ts";
import { writeDownloads, type DownloadOptions } from "./downloads.ts";
import { buildLibraries } from "./libraries.ts";

export interface BuildOptions extends DownloadOptions {
  /** Folder that receives `packages/` and `downloads/`. */
  output: string;
}

/** Paths of what was built. */
export interface Build {
  /** Folders of the libraries' packages. */
  libraries: readonly string[];
  /** Folder of the server's package. */
  server: string;
  /** Folder of what servers offer to those who install from them. */
  downloads: string;
}

/** Writes the folders of the npm packages to `packages/`, and what servers offer to `downloads/`. */
export async function build({ output, ...options }: BuildOptions): Promise<Build> {
  const folder = resolve(output);
  options.begin("libraries");
  const libraries = await buildLibraries(folder);
  options.begin("packages of the command line and the runner");
  const offered = await Promise.all([COMMAND_LINE, RUNNER].map((each) => buildApplication(each, folder)));
  const downloads = join(folder, "downloads");
  await writeDownloads(offered, options, downloads);
  options.begin("package of the server");
  // Last: it contains the downloads.
  const server = await buildApplication(SERVER, folder);
  return { libraries, server, downloads };
}
