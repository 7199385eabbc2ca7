/** The problems that ship with KernelBot pass every check: `kernelbot problem check problems`. */
import { openProblemCheckers, problemDirectories } from "@kernelbot/tester";
import { relative } from "node:path";
import { afterAll, test } from "vitest";

/** Checks whose warnings are errors for shipped problems. Warnings that depend on the load of the machine are allowed. */
const HELD = ["cases.twins", "cost", "examples", "files", "reference.deterministic", "targets", "templates"];

const directories = await problemDirectories(import.meta.dirname);

const checkers = openProblemCheckers({ jobs: 2 });
afterAll(() => checkers.close());

// Two at a time are checked while others wait for their turn, and only what was asked for by `-t`.
test.concurrent.for(directories.map((directory) => [relative(import.meta.dirname, directory), directory] as const))(
  "%s has no faults, its examples end as they say, and no attack passes",
  { timeout: 600_000 },
  async ([, directory], { expect }) => {
    const { findings, judged } = await checkers.check(directory);
    const faults = findings.filter(
      ({ severity, check }) => severity === "error" || (severity === "warning" && HELD.includes(check)),
    );
    expect(faults).toEqual([]);
    const skipped = findings.some(({ severity, check }) => severity === "note" && check === "attacks");
    expect(judged.attacks > 30).toBe(!skipped);
  },
);
