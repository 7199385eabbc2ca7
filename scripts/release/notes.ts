/**
 * Prints the changes of the version that a tag names. Fails if the packages have another version or CHANGELOG.md lists no
 * changes.
 *
 *     node scripts/release/notes.ts v0.1.0
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { ROOT } from "./bundle.ts";
import { changesOf } from "./changelog.ts";

const tag = process.argv[2] ?? "";
if (tag !== `v${manifest.version}`) {
  console.error(`the tag "${tag}" names another version than the packages: tag the commit v${manifest.version}`);
  process.exit(1);
}
console.log(changesOf(readFileSync(join(ROOT, "CHANGELOG.md"), "utf8"), manifest.version));
