/**
 * Builds all that is published, in `dist/`: the folders of the npm packages in `packages/`, and in `downloads/` what
 * servers offer to those who install from them.
 *
 *     npm run build                             # all of it, in about a minute
 *     npm run build -- --without-executables    # no single executables, in 10 s
 */
import { parseArgs } from "node:util";
import { buildApplication } from "./application.ts";
import { COMMAND_LINE, RUNNER, SERVER } from "./applications.ts";
import { writeDownloads } from "./downloads.ts";
import { PLATFORMS } from "./executable.ts";
import { buildLibraries } from "./libraries.ts";

const { values } = parseArgs({ options: { "without-executables": { type: "boolean", default: false } } });

await buildLibraries();
const programs = await Promise.all([COMMAND_LINE, RUNNER].map((each) => buildApplication(each)));
await writeDownloads(programs, values["without-executables"] ? [] : PLATFORMS);
// Last: it contains the downloads.
await buildApplication(SERVER);
