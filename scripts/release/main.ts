/**
 * Builds all that is published: the folders of the npm packages in `dist/packages`, in `dist/downloads` what servers offer
 * to those who install from them, and for a release `dist/artifacts`, with everything that it publishes and the checksums.
 *
 *     npm run build                             # all of it, in about a minute
 *     npm run build -- --without-executables    # no single executables, in 10 s
 *     npm run build -- --platform darwin-arm64  # the executable of this platform only; repeatable
 *     npm run build -- --executables FOLDER     # with these, which were made on other machines
 *     npm run build -- --output FOLDER          # there instead of in dist
 *     npm run release:dry                       # with dist/artifacts; takes the same options
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { z } from "zod";
import { writeArtifacts } from "./artifacts.ts";
import { build } from "./build.ts";
import { ROOT } from "./bundle.ts";
import { PLATFORMS, PORTABLE_PLATFORMS } from "./executable.ts";

const { values } = parseArgs({
  options: {
    output: { type: "string", default: join(ROOT, "dist") },
    platform: { type: "string", multiple: true, default: PORTABLE_PLATFORMS },
    executables: { type: "string" },
    artifacts: { type: "boolean", default: false },
    "without-executables": { type: "boolean", default: false },
  },
});

const platforms = values["without-executables"] ? [] : z.array(z.enum(PLATFORMS)).parse(values.platform);
const begin = (step: string): void => console.log(`build ${Math.round(performance.now() / 1000)} s  ${step}`);
const built = await build({ output: values.output, platforms, executables: values.executables, begin });
const artifacts = join(values.output, "artifacts");
if (values.artifacts) await writeArtifacts(built, platforms, { folder: artifacts, begin });
begin(`done: ${values.artifacts ? artifacts : values.output}`);
