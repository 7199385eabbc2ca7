/**
 * Prepares the next release: takes the changesets in `.changeset`, raises the version of all packages, and lists the changes
 * in CHANGELOG.md.
 *
 *     npm run release:version
 */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readChangesets } from "@changesets/read";
import manifest from "../../package.json" with { type: "json" };
import { ROOT } from "./bundle.ts";
import { withVersion, type Change } from "./changelog.ts";
import { readManifest } from "./package-folder.ts";
import { pythonVersion } from "./wheel-file.ts";

const SEVERITIES = ["major", "minor", "patch"] as const;

const changes = (await readChangesets(ROOT)).flatMap(({ summary, releases }): Change[] => {
  const type = SEVERITIES.find((severity) => releases.some((release) => release.type === severity));
  return type === undefined ? [] : [{ type, summary }];
});
if (changes.length === 0) {
  console.error("there is nothing to release: .changeset contains no changes; npx changeset adds one");
  process.exit(1);
}

const run = (program: string, ...args: string[]) => execFileSync(program, args, { cwd: ROOT, stdio: "inherit" });
run(join(ROOT, "node_modules/.bin/changeset"), "version");
const { version } = await readManifest(join(ROOT, "packages/core"));
writeFileSync(join(ROOT, "package.json"), `${JSON.stringify({ ...manifest, version }, null, 2)}\n`);
const pythonFile = join(ROOT, "clients/python/kernelbot/_version.py");
const assignment = `__version__ = "${pythonVersion(version)}"`;
writeFileSync(pythonFile, readFileSync(pythonFile, "utf8").replace(/^__version__ = .*$/m, assignment));
// The lockfile contains the versions too.
run("npm", "install", "--package-lock-only", "--ignore-scripts", "--no-audit", "--no-fund");

const changelog = join(ROOT, "CHANGELOG.md");
const date = new Date().toISOString().slice(0, 10);
writeFileSync(changelog, withVersion(readFileSync(changelog, "utf8"), version, date, changes));
console.log(`${version} is prepared: read CHANGELOG.md, commit, and tag the commit v${version}`);
