/** The systemd unit of the server, as far as it can be checked without starting it. */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { readCommand } from "../packages/server/src/config.ts";

const UNIT = resolve(import.meta.dirname, "../deploy/systemd/kernelbot-server.service");
const PROGRAM = "/opt/kernelbot/bin/kernelbot-server";
const unit = readFileSync(UNIT, "utf8");

const hasSystemd = spawnSync("systemd-analyze", ["--version"]).status === 0;

test.skipIf(!hasSystemd)("systemd accepts every setting of the unit", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "kernelbot-unit-"));
  const file = join(folder.path, "kernelbot-server.service");
  // systemd also checks that the program exists, which is not installed here.
  writeFileSync(file, unit.replace(PROGRAM, process.execPath));
  const { stderr } = spawnSync("systemd-analyze", ["verify", "--man=no", file], { encoding: "utf8" });
  expect(stderr.split("\n").filter((line) => line.includes("kernelbot-server.service"))).toEqual([]);
});

test.skipIf(!hasSystemd)("systemd finds little that the service could reach beyond its work", () => {
  // Of 10, in tenths; what remains is the network, and memory that is written and executed.
  const args = ["security", "--offline=true", "--threshold=20", UNIT];
  const { status, stdout, stderr } = spawnSync("systemd-analyze", args, { encoding: "utf8" });
  expect(status, stdout + stderr).toBe(0);
});

test("the unit starts the server with its data where systemd creates a folder for it", () => {
  const { args, env } = commandOf(unit);
  expect(readCommand(args, env)).toMatchObject({ name: "serve", options: { data: "/var/lib/kernelbot" } });
  expect(setting("StateDirectory")).toBe("kernelbot");
});

test("the unit's server also takes a database of its own network and settings from its file", () => {
  const { args, env } = commandOf(unit);
  const own = { DATABASE_URL: "postgres://db/kernelbot", KERNELBOT_SIGNING_KEY: "/etc/kernelbot/signing-key.pem" };
  expect(readCommand(args, { ...env, ...own })).toMatchObject({ options: { databaseUrl: own.DATABASE_URL } });
  expect(setting("EnvironmentFile")).toBe("-/etc/kernelbot/server.env");
});

test("stopping the unit asks the server only, which stops its database itself", () => {
  expect(setting("KillSignal")).toBe("SIGTERM");
  expect(setting("KillMode")).toBe("mixed");
});

test.each(["MemoryDenyWriteExecute", "ProcSubset"])("the unit leaves out %s, which breaks Node.js", (name) => {
  expect(setting(name)).toBeUndefined();
});

/** Arguments and environment with which systemd starts the program. */
function commandOf(text: string): { args: string[]; env: Record<string, string> } {
  const [program, ...args] = setting("ExecStart")?.split(" ") ?? [];
  expect(program).toBe(PROGRAM);
  const settings = [...text.matchAll(/^Environment=(.*)$/gm)].flatMap(([, line = ""]) => line.split(" "));
  return { args, env: Object.fromEntries(settings.map((each) => each.split("=") as [string, string])) };
}

function setting(name: string): string | undefined {
  return new RegExp(`^${name}=(.*)$`, "m").exec(unit)?.[1];
}
