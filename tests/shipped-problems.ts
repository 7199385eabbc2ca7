/** The problems that ship with KernelBot pass every check: `kernelbot problem check problems`. */
import { openProblemChecker, problemDirectories } from "@kernelbot/tester";
import { sample } from "@kernelbot/testing/sample.ts";
import { join, relative } from "node:path";
import { afterAll, test } from "vitest";

const FOLDER = join(import.meta.dirname, "../problems");
/** Checks whose warnings are errors for shipped problems. Warnings that depend on the load of the machine are allowed. */
const HELD = ["cases.twins", "cost", "examples", "files", "reference.deterministic", "targets", "templates"];

/**
 * Registers a test for each second problem, beginning with the first or the second: two files of tests, each with a
 * checker of its own, use two cores.
 */
export async function testShippedProblems(first: 0 | 1): Promise<void> {
  const directories = (await problemDirectories(FOLDER)).filter((_, index) => index % 2 === first);
  const checker = await openProblemChecker();
  afterAll(() => checker.close());

  test.for(sample(directories, { share: 0.1 }).map((directory) => [relative(FOLDER, directory), directory] as const))(
    "%s has no faults, its examples end as they say, and no attack passes",
    { timeout: 600_000 },
    async ([, directory], { expect }) => {
      const { findings, judged } = await checker.check(directory);
      const faults = findings.filter(
        ({ severity, check }) => severity === "error" || (severity === "warning" && HELD.includes(check)),
      );
      expect(faults).toEqual([]);
      const skipped = findings.some(({ severity, check }) => severity === "note" && check === "attacks");
      expect(judged.attacks > 30).toBe(!skipped);
    },
  );
}
