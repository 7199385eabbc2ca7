/**
 * Checks the files of folders in the working directory against the import rules of `.dependency-cruiser.js`:
 *
 *     node scripts/imports.ts packages tester
 *
 * With `--diagrams PAGE`, also checks that the diagrams of the page show these imports.
 *
 * The command of dependency-cruiser itself prints every cycle that a wrong import closes, often hundreds, and exits
 * with the number of violations, which a shell reads modulo 256.
 */
import { cruise } from "dependency-cruiser";
import extractOptions from "dependency-cruiser/config-utl/extract-depcruise-options";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { drawn } from "./generate-architecture-diagram.ts";

const CONFIG = join(import.meta.dirname, "../.dependency-cruiser.js");
/** Number of cycles that are printed, shortest first. */
const SHOWN_CYCLES = 3;

const {
  values: { diagrams },
  positionals: folders,
} = parseArgs({ options: { diagrams: { type: "string" } }, allowPositionals: true });
const { output } = await cruise(folders, await extractOptions(CONFIG));
if (typeof output === "string") throw new Error(output);
const { violations, totalCruised } = output.summary;
const comments = new Map(output.summary.ruleSetUsed?.forbidden?.map(({ name, comment }) => [name, comment]));

const [cycles, others] = [violations.filter(({ cycle }) => cycle), violations.filter(({ cycle }) => !cycle)];
for (const { from, to, rule } of others) {
  console.error(`${from} imports ${to}\n    ${rule.name}: ${comments.get(rule.name) ?? ""}`);
}
const shortest = cycles
  .map(({ from, cycle = [] }) => [from, ...cycle.map(({ name }) => name)])
  .toSorted((one, other) => one.length - other.length);
for (const files of shortest.slice(0, SHOWN_CYCLES)) console.error(`import cycle: ${files.join("\n    -> ")}`);
if (cycles.length > SHOWN_CYCLES) console.error(`and ${cycles.length - SHOWN_CYCLES} more import cycles`);
if (violations.length > 0) process.exit(1);
if (diagrams !== undefined) {
  const page = readFileSync(diagrams, "utf8");
  if ((await drawn(page, output)) !== page) {
    console.error(`the diagrams of ${diagrams} differ from the imports: run npm run generate:architecture`);
    process.exit(1);
  }
}
console.log(`the imports of ${totalCruised} modules follow the rules`);
