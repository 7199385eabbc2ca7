/** The problems that ship with KernelBot pass every check of the workshop: `kernelbot problem check problems`. */
import { checkProblems, problemDirectories, type Checks } from "@kernelbot/tester";
import { relative } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

/** What shipped problems are held to as well, and no other. What depends on how busy the machine is may be warned of. */
const HELD = ["cases.twins", "cost", "examples", "files", "reference.deterministic", "targets", "templates"];

const directories = await problemDirectories(import.meta.dirname);

let checks: Checks;
beforeAll(() => {
  checks = checkProblems(directories, { jobs: 2 });
});
afterAll(() => checks.ended);

test.for(directories.map((directory, index) => [relative(import.meta.dirname, directory), index] as const))(
  "%s has no faults, its examples end as they say, and no attack passes",
  async ([, index]) => {
    const { findings, judged } = await (checks.checked[index] as Checks["checked"][number]);
    const faults = findings.filter(
      ({ severity, check }) => severity === "error" || (severity === "warning" && HELD.includes(check)),
    );
    expect(faults).toEqual([]);
    const skipped = findings.some(({ severity, check }) => severity === "note" && check === "attacks");
    expect(judged.attacks > 30).toBe(!skipped);
  },
);
