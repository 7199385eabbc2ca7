/**
 * Proves that an optional feature can be deleted: in a copy of the checkout without its folder and its line in
 * each list (`features/*.ts`), types, import rules and links of the documentation hold. Features that need it are
 * deleted with it, and the README's links to their pages become text.
 *
 *     npm run check:unplug kernelgym
 */
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { OPTIONAL_FEATURES } from "@kernelbot/features/index.ts";

const ROOT = resolve(import.meta.dirname, "..");
const FOLDERS = ["packages", "features", "tester", "scripts", "bench", "tests", "problems"];
const CHECKS = [
  ["types", "node_modules/ts7/bin/tsc", "-p", "tsconfig.json", "--singleThreaded", "--incremental", "false"],
  ["imports", "scripts/imports.ts", ...FOLDERS],
  ["docs", "node_modules/vitest/vitest.mjs", "run", "--project", "unit", "tests/docs-links.test.ts"],
];

const [name = ""] = process.argv.slice(2);
const names = readdirSync(join(ROOT, "features"), { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? [entry.name] : [],
);
if (!names.includes(name)) {
  console.error(`npm run check:unplug NAME, with one of ${names.join(", ")}`);
  process.exit(2);
}

/** The feature and those that need it. */
const removed = [name, ...OPTIONAL_FEATURES.filter(({ needs }) => needs?.includes(name)).map((each) => each.name)];

const copy = mkdtempSync(join(tmpdir(), "kernelbot-unplug-"));
process.on("exit", () => rmSync(copy, { recursive: true, force: true }));
copyCheckout();
for (const feature of removed) {
  rmSync(join(copy, "features", feature), { recursive: true });
  unlink(feature);
  removeLine(feature, "index.ts", "feature.ts");
  removeLine(feature, "cli.ts", "cli.ts");
  removeLine(feature, "serve-options.ts", "serve-options.ts");
  removeLine(feature, "server-cli.ts", "server-cli.ts");
  removeLine(feature, "showcase.ts", "testing/showcase.ts");
}
for (const [what = "", ...command] of CHECKS) {
  const { status, stdout, stderr } = spawnSync(process.execPath, command, { cwd: copy, encoding: "utf8" });
  console.log(`without ${name}  ${what.padEnd(8)} ${status === 0 ? "ok" : "failed"}`);
  if (status !== 0) {
    console.error(stdout + stderr);
    process.exit(1);
  }
}

/** Copies all files that Git does not ignore, and links the installed packages. */
function copyCheckout(): void {
  const list = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    ...{ cwd: ROOT, encoding: "utf8", maxBuffer: 2 ** 28 },
  });
  for (const file of list.split("\0").filter((path) => path !== "" && existsSync(join(ROOT, path))))
    cpSync(join(ROOT, file), join(copy, file), { verbatimSymlinks: true });
  for (const folder of ["", "packages/cli"]) linkPackages(join(folder, "node_modules"));
}

/** Links the packages of a folder; those of the workspace lead to the copy. */
function linkPackages(folder: string): void {
  mkdirSync(join(copy, folder), { recursive: true });
  for (const entry of readdirSync(join(ROOT, folder))) {
    if (entry !== "@kernelbot") symlinkSync(join(ROOT, folder, entry), join(copy, folder, entry));
  }
  const own = join(folder, "@kernelbot");
  if (!existsSync(join(ROOT, own))) return;
  mkdirSync(join(copy, own));
  for (const entry of readdirSync(join(ROOT, own))) {
    const target = resolve(ROOT, own, readlinkSync(join(ROOT, own, entry)));
    symlinkSync(join(copy, target.slice(ROOT.length)), join(copy, own, entry));
  }
}

/** Leaves the text of the README's links to pages of the feature. */
function unlink(feature: string): void {
  const file = join(copy, "README.md");
  const links = new RegExp(`\\[([^\\]]*)\\]\\(features/${feature}/[^)]*\\)`, "g");
  writeFileSync(file, readFileSync(file, "utf8").replace(links, "$1"));
}

/** Deletes the import of the feature from a list, and its name from the array, where the feature has such a part. */
function removeLine(feature: string, list: string, part: string): void {
  if (!existsSync(join(ROOT, "features", feature, part))) return;
  const file = join(copy, "features", list);
  const text = readFileSync(file, "utf8");
  const line = new RegExp(`^import \\{ (\\w+) \\} from "\\./${feature}/${part}";\\n`, "m");
  const variable = line.exec(text)?.[1];
  if (variable === undefined) throw new Error(`features/${list} does not import ./${feature}/${part}`);
  writeFileSync(file, text.replace(line, "").replace(new RegExp(`\\b${variable}\\b,? ?`), ""));
}
