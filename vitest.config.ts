import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { pythonTests } from "./tests/python/plugin.ts";

/** Files that take minutes, in the order in which they start, so that none of them is left to run alone at the end. */
const LONG = ["tests/checks", "tester/attacks/", "problems/", "tests/", "tester/tests/", "packages/server/tests/"];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const place = ({ moduleId }: TestSpecification): number => {
      const path = moduleId.slice(import.meta.dirname.length + 1);
      const found = LONG.findIndex((folder) => path.startsWith(folder));
      return found < 0 ? LONG.length : found;
    };
    return sorted.toSorted((one, other) => place(one) - place(other));
  }
}

export default defineConfig({
  plugins: [pythonTests()],
  test: {
    include: [
      "packages/*/{src,tests}/**/*.test.ts",
      "tester/{node,attacks}/**/*.test.ts",
      "problems/**/*.test.ts",
      "tests/**/*.test.ts",
      "scripts/**/*.test.ts",
      "tester/tests/test_*.py",
    ],
    globalSetup: ["packages/testing/src/global-setup.ts"],
    // Programs that tests start, which is often, find their code compiled.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, "node_modules/.cache/kernelbot") },
    sequence: { sequencer: LongestFirst },
    // Tests start real databases, sandboxes and servers: a slow machine must not fail them.
    testTimeout: 120_000,
    hookTimeout: 180_000,
    // Two at a time: the judge pins itself to a core and a busier machine only makes all of them slower.
    maxWorkers: 2,
  },
});
