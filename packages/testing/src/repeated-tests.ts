/** Reporter that lists the tests that failed and passed when they were repeated (KERNELBOT_TEST_RETRIES). */
import type { Reporter } from "vitest/node";

export const repeatedTests: Reporter = {
  onTestRunEnd(modules) {
    const tests = modules.flatMap(({ children }) => [...children.allTests()]);
    for (const test of tests.filter((each) => each.diagnostic()?.flaky)) {
      const errors = test.result().errors?.map(({ message }) => message) ?? [];
      console.log(
        `passed only when repeated: ${test.module.relativeModuleId} > ${test.fullName}: ${errors.join("; ")}`,
      );
    }
  },
};
