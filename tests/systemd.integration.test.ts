/** The systemd unit of the runner, as far as it can be checked without starting it. */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { RUNNER_OPTIONS } from "../packages/runner/src/options.ts";

const UNIT = resolve(import.meta.dirname, "../deploy/systemd/kernelbot-runner.service");
const PROGRAM = "/opt/kernelbot/bin/kernelbot-runner";
const unit = readFileSync(UNIT, "utf8");

/** Version of systemd; 0 where it is not installed. */
function systemdVersion(): number {
  const { stdout } = spawnSync("systemd-analyze", ["--version"], { encoding: "utf8" });
  return Number(/^systemd (\d+)/.exec(stdout)?.[1] ?? 0);
}

test.skipIf(systemdVersion() === 0)("systemd accepts every setting of the unit", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "kernelbot-unit-"));
  const file = join(folder.path, "kernelbot-runner.service");
  // systemd also checks that the program exists, which is not installed here.
  writeFileSync(file, unit.replace(PROGRAM, process.execPath));
  const { stderr } = spawnSync("systemd-analyze", ["verify", "--man=no", file], { encoding: "utf8" });
  const lines = stderr.split("\n").filter((line) => line.includes("kernelbot-runner.service"));
  // Known from version 254 on; older ones ignore it.
  const expected = systemdVersion() < 254 ? [/Unknown key(?: name)? 'DelegateSubgroup'.* ignoring\.$/] : [];
  expect(lines).toEqual(expected.map((pattern) => expect.stringMatching(pattern) as string));
});

test("the unit starts the runner with options that it has, and no secret", () => {
  const [start = ""] = unit.split("\n").filter((line) => line.startsWith(`ExecStart=${PROGRAM} `));
  const options = Array.from(start.matchAll(/--([a-z-]+)/g), ([, name = ""]) => name);
  expect(options).toEqual(["server", "target", "token-file"]);
  expect(Object.keys(RUNNER_OPTIONS)).toEqual(expect.arrayContaining(options));
});

test("stopping the unit sends one SIGTERM to the runner only, and waits for its run", () => {
  expect(setting("KillSignal")).toBe("SIGTERM");
  expect(setting("KillMode")).toBe("mixed");
  expect(setting("TimeoutStopSec")).toBe("30min");
});

test.each([
  "RestrictNamespaces",
  "ProtectHostname",
  "SystemCallFilter",
  "ProtectKernelTunables",
  "ProtectKernelLogs",
  "ProtectProc",
  "ProcSubset",
  "PrivateDevices",
  "ProtectClock",
  "MemoryDenyWriteExecute",
])("the unit leaves out %s, which breaks the sandbox or hides the accelerator", (name) => {
  expect(setting(name)).toBeUndefined();
});

function setting(name: string): string | undefined {
  return new RegExp(`^${name}=(.*)$`, "m").exec(unit)?.[1];
}
