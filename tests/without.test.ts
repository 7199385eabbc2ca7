/** Optional features that an operator switches off. */
import { expect, test } from "vitest";
import { readCommand } from "../packages/server/src/config.ts";
import { FEATURES, featuresWithout } from "../packages/server/src/features.ts";
import { OPTIONAL_FEATURES } from "@kernelbot/features/index.ts";
import { FEATURE_OPTIONS } from "@kernelbot/features/serve-options.ts";

test("--without switches off optional features, and no others", () => {
  const command = readCommand(["serve", "--without", "kernelgym, openenv"], {});
  const without = command.name === "serve" ? command.options.without : [];
  const names = featuresWithout(without).map(({ name }) => name);
  expect(names).toEqual(FEATURES.map(({ name }) => name).filter((name) => !["kernelgym", "openenv"].includes(name)));
  expect(() => featuresWithout(["auth"])).toThrow(
    `--without: "auth" is not an optional feature; use ${OPTIONAL_FEATURES.map(({ name }) => name).join(", ")}`,
  );
});

test("without a feature, those that need it are off too", () => {
  for (const { name } of OPTIONAL_FEATURES) {
    const left = featuresWithout([name]);
    expect(left.flatMap(({ needs = [] }) => needs)).not.toContain(name);
  }
});

test("options belong to an optional feature, so that they are ignored without it", () => {
  const names = OPTIONAL_FEATURES.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(FEATURE_OPTIONS.map(({ feature }) => feature)));
});
