import { HOSTILE } from "@kernelbot/testing/web/examples.ts";
import { expect, test } from "vitest";
import { importedRoster, platformRoster } from "./roster.ts";

const IMPORTED = {
  ...{ added: 1, updated: 0, unchanged: 0, others: 1, missing: [HOSTILE] },
  rejected: [{ member: HOSTILE, reason: HOSTILE }],
};

test.each([
  ["what was imported", importedRoster(IMPORTED)],
  ["the courses of platforms", platformRoster("spring", [HOSTILE])],
])("text of a platform is escaped in %s", async (_, html) => {
  const text = (await html)?.toString();
  expect(text).toContain("&lt;script&gt;alert(1)");
  expect(text).not.toMatch(/<script>alert|<img src=x/);
});
