/** The executables, started with a Node.js version that cannot run their sources. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "..");

/** Returns a module that makes Node.js report another version. */
function reporting(version: string): string {
  const code = `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "${version}" } })`;
  return `data:text/javascript,${encodeURIComponent(code)}`;
}

test.each([
  ["cli", "kernelbot"],
  ["server", "kernelbot-server"],
  ["runner", "kernelbot-runner"],
])("the executable of %s says in one sentence which Node.js it needs", (name, program) => {
  const { bin } = JSON.parse(readFileSync(join(ROOT, "packages", name, "package.json"), "utf8")) as {
    bin: Record<string, string>;
  };
  const path = join(ROOT, "packages", name, bin[program] as string);
  const start = (version: string) =>
    spawnSync(process.execPath, ["--import", reporting(version), path, "--help"], { encoding: "utf8" });
  for (const version of ["18.20.8", "20.20.2", "22.17.1"]) {
    const { status, stdout, stderr } = start(version);
    expect({ status, stdout }).toEqual({ status: 3, stdout: "" });
    expect(stderr).toMatch(new RegExp(`^${program} needs Node\\.js 22\\.18 or newer, and .* is ${version}: .*\\n$`));
  }
  expect(start("22.18.0").status).toBe(0);
  // Old versions can only load JavaScript.
  expect(path).toMatch(/\.mjs$/);
});

test("the version that executables need is that of package.json", () => {
  const { engines } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { engines: { node: string } };
  expect(readFileSync(join(ROOT, "tester/node/node-version.mjs"), "utf8")).toContain(
    `? "${engines.node.replace(">=", "")}" :`,
  );
});
