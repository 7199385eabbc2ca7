/** All packages are released together, with one version. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "..");

test("all packages have the same version, and depend on each other at this version", () => {
  const manifests = ["package.json", "tester/package.json", ...globSync("packages/*/package.json", { cwd: ROOT })].map(
    (path) =>
      JSON.parse(readFileSync(join(ROOT, path), "utf8")) as { version: string; dependencies?: Record<string, string> },
  );
  const own = manifests.flatMap(({ dependencies = {} }) =>
    Object.entries(dependencies).flatMap(([name, version]) => (name.startsWith("@kernelbot/") ? [version] : [])),
  );
  expect(manifests.length).toBeGreaterThan(8);
  expect(new Set([...manifests.map(({ version }) => version), ...own]).size).toBe(1);
});
