import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: [
      "packages/*/src/**/*.test.ts",
      "tester/{node,attacks}/**/*.test.ts",
      "problems/**/*.test.ts",
      "tests/**/*.test.ts",
      "scripts/**/*.test.ts",
    ],
    globalSetup: ["packages/server/src/testing/global-setup.ts"],
    // Tests start real databases, sandboxes and servers: a slow machine must not fail them.
    testTimeout: 120_000,
    hookTimeout: 180_000,
    // Two at a time: the judge pins itself to a core and a busier machine only makes all of them slower.
    maxWorkers: 2,
  },
});
