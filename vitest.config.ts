import { join } from "node:path";
import { configDefaults, defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { repeatedTests } from "./packages/testing/src/repeated-tests.ts";
import { pythonTests } from "./tests/python/plugin.ts";

/** Files that take minutes, in the order in which they start, so that none of them is left to run alone at the end. */
const LONG = [
  "tests/static",
  "tester/attacks/",
  "problems/",
  "tests/",
  "tester/tests/",
  "packages/server/tests/",
  "packages/cli/",
];

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

/** Folders with tests in TypeScript. */
const FOLDERS = "{features,packages,problems,scripts,tester,tests}";
/** Provides a PostgreSQL to the tests of a tier. */
const DATABASE = ["packages/testing/src/global-setup.ts"];
/** Provides the program `kernelbot` too. */
const DATABASE_AND_CLI = [...DATABASE, "packages/testing/src/cli/bundle-setup.ts"];
/** Provides a server of the tests in Python too. */
const EVERYTHING = [...DATABASE_AND_CLI, "tests/python/setup.ts"];
/** For tiers with a process for each test file. */
const ISOLATED = ["packages/testing/src/share-databases.ts"];
/** For those of them that start testers. */
const TESTERS = [...ISOLATED, "packages/testing/src/temporary-folder.ts"];
/**
 * For tiers whose files wait for half of their time, for limits that an attack exceeds, frozen workers and started
 * programs: twice the cores of a small machine. They run after the other tiers, which take 7 % more with a worker more.
 * Only what never ends exceeds their timeouts.
 */
const WAITING = { maxWorkers: 4, testTimeout: 1_800_000, hookTimeout: 600_000, sequence: { groupOrder: 1 } };
/** For the tier that keeps all cores busy: it runs last, and alone. */
const ALONE = { maxWorkers: 1, sequence: { groupOrder: 2 } };

/**
 * A tier of tests: the files that end in `.NAME.test.ts`, which may need what the tier provides. Files that end in
 * `.test.ts` only are unit tests, which need no database and no process.
 */
function tier(name: string, { include = [], ...options }: TierOptions = {}): TestProjectInlineConfiguration {
  return {
    extends: true,
    test: { name, globalSetup: DATABASE, ...options, include: [`${FOLDERS}/**/*.${name}.test.ts`, ...include] },
  };
}

interface TierOptions {
  include?: string[];
  globalSetup?: string[];
  /** Loaded before each test file. */
  setupFiles?: string[];
  /**
   * Whether each file loads its modules again. Files that share them must restore what they change; in return, the unit
   * tier takes 21 s instead of 53 s.
   */
  isolate?: boolean;
  maxWorkers?: number;
  testTimeout?: number;
  hookTimeout?: number;
  sequence?: { groupOrder: number };
}

export default defineConfig({
  plugins: [pythonTests()],
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          isolate: false,
          include: [`${FOLDERS}/**/*.test.ts`],
          exclude: [...configDefaults.exclude, "**/*.{checks,integration,smoke,browser,judge,durability,load}.test.ts"],
        },
      },
      // Format, types, import rules and lint.
      tier("checks", { globalSetup: [] }),
      // PostgreSQL, and programs with fake services.
      tier("integration", {
        globalSetup: EVERYTHING,
        isolate: false,
        include: ["clients/python/tests/test_*.py"],
      }),
      // Every mode, page type and verdict once, with the real judge and a real browser.
      tier("smoke", { setupFiles: TESTERS }),
      tier("browser", { setupFiles: ISOLATED, ...WAITING }),
      // Sandbox, attacks, problems and Python.
      tier("judge", {
        globalSetup: EVERYTHING,
        setupFiles: TESTERS,
        include: ["tester/tests/test_*.py"],
        ...WAITING,
      }),
      // Killed processes, lost databases, restored backups, several servers.
      tier("durability", { setupFiles: TESTERS, ...WAITING }),
      // Everything once on a machine whose cores are busy.
      tier("load", { setupFiles: TESTERS, ...ALONE }),
    ],
    globalSetup: ["packages/testing/src/scratch-setup.ts", "packages/testing/src/sample-setup.ts"],
    // Programs that tests start, which is often, find their code compiled.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, "node_modules/.cache/kernelbot") },
    sequence: { sequencer: LongestFirst },
    // Tests start real databases, sandboxes and servers: a slow machine must not fail them.
    testTimeout: 300_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 120_000 } },
    // On a machine that is shared (.ci/run), so that a load of others fails no commit.
    retry: Number(process.env["KERNELBOT_TEST_RETRIES"] ?? 0),
    reporters: ["default", repeatedTests],
    // One more than the cores of a small machine: for a third of its time, a file waits for timers, locks and processes.
    maxWorkers: 3,
  },
});
