/**
 * Builds all that is published: the folders of the npm packages in `dist/packages`, and in `dist/downloads` what servers
 * offer to those who install from them.
 *
 *     npm run build                             # all of it, in about a minute
 *     npm run build -- --without-executables    # no single executables, in 10 s
 *     npm run build -- --platform darwin-arm64  # the executable of this platform only; repeatable
 *     npm run build -- --output FOLDER          # there instead of in dist
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { z } from "zod";
import { build } from "./build.ts";
import { ROOT } from "./bundle.ts";
import { PLATFORMS, PORTABLE_PLATFORMS } from "./executable.ts";

const { values } = parseArgs({
  options: {
    output: { type: "string", default: join(ROOT, "dist") },
    platform: { type: "string", multiple: true, default: PORTABLE_PLATFORMS },
    "without-executables": { type: "boolean", default: false },
  },
});

const platforms = values["without-executables"] ? [] : z.array(z.enum(PLATFORMS)).parse(values.platform);
await build({ output: values.output, platforms });
