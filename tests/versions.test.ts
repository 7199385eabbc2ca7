/** All packages are released together, with one version. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { pythonVersion } from "../scripts/release/wheel-file.ts";

const ROOT = join(import.meta.dirname, "..");

test("all packages have the same version, and depend on each other at this version", () => {
  const manifests = [
    "package.json",
    "tester/package.json",
    "features/package.json",
    ...globSync("packages/*/package.json", { cwd: ROOT }),
  ].map(
    (path) =>
      JSON.parse(readFileSync(join(ROOT, path), "utf8")) as { version: string; dependencies?: Record<string, string> },
  );
  const own = manifests.flatMap(({ dependencies = {} }) =>
    Object.entries(dependencies).flatMap(([name, version]) => (name.startsWith("@kernelbot/") ? [version] : [])),
  );
  expect(manifests.length).toBeGreaterThan(8);
  expect(new Set([...manifests.map(({ version }) => version), ...own]).size).toBe(1);
});

test("the Python client has this version, as Python writes it", () => {
  const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string };
  const text = readFileSync(join(ROOT, "clients/python/kernelbot/_version.py"), "utf8");
  expect(/^__version__ = "(.*)"$/m.exec(text)?.[1]).toBe(pythonVersion(version));
});
