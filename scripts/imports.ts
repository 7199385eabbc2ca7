/**
 * Checks the files of folders in the working directory against the import rules of `.dependency-cruiser.js`:
 *
 *     node scripts/imports.ts packages tester
 *
 * The folders of a package may not import each other in a circle either (`circles.ts`).
 *
 * The command of dependency-cruiser itself prints every cycle that a wrong import closes, often hundreds, and exits
 * with the number of violations, which a shell reads modulo 256.
 */
import { cruise } from "dependency-cruiser";
import extractOptions from "dependency-cruiser/config-utl/extract-depcruise-options";
import { join } from "node:path";
import { folderCircles } from "./circles.ts";

const CONFIG = join(import.meta.dirname, "../.dependency-cruiser.js");
/** Number of cycles that are printed, shortest first. */
const SHOWN_CYCLES = 3;

const { output } = await cruise(process.argv.slice(2), await extractOptions(CONFIG));
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
// Cycles of files come first: most are circles of their folders too.
const imports = output.modules.flatMap(({ source, dependencies }) =>
  dependencies.map(({ resolved }) => [source, resolved] as const),
);
const circles = cycles.length > 0 ? [] : folderCircles(imports);
for (const line of circles) console.error(`${line}\n    the folders import each other: move what both need`);
if (violations.length > 0 || circles.length > 0) process.exit(1);
console.log(`the imports of ${totalCruised} modules follow the rules`);
