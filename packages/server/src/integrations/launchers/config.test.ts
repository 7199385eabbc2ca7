import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import { expect, inject, test } from "vitest";
import { parseLaunchers, readLaunchers } from "./config.ts";

const folder = mkdtempSync(join(inject("scratch"), "launchers-"));

function secret(name: string, text = "the secret itself"): string {
  const path = join(folder, name);
  writeFileSync(path, `${text}\n`);
  return path;
}

test("reads launchers of each kind with default settings", () => {
  const launchers = parseLaunchers(
    `
[launchers.actions]
kind = "github"
repository = "lab/kernels"
tokenFile = "${secret("github")}"
[launchers.actions.targets.MI300]
runsOn = ["amdgpu-mi300"]
maxRunners = 3
budgetPerDay = 50

[launchers.cluster]
kind = "slurm"
host = "login.example.org"
[launchers.cluster.targets.H100]
gres = "gpu:h100:1"
options = ["--exclusive"]

[launchers.here]
kind = "local"
[launchers.here.targets.cpu]
`,
    "launchers.toml",
  );
  expect(launchers.map(({ name, kind, targets }) => [name, kind, [...targets.keys()]])).toEqual([
    ["actions", "github", ["MI300"]],
    ["cluster", "slurm", ["H100"]],
    ["here", "local", ["cpu"]],
  ]);
  expect(launchers[0]?.targets.get("MI300")).toMatchObject({ maxRunners: 3, budgetPerDay: 50, idleSeconds: 120 });
});

test("reports all errors of a file with their paths", () => {
  const text = `
[launchers.actions]
kind = "github"
repository = "kernels"
tokenFile = "github.token"
[launchers.actions.targets.MI300]
maxRunners = 0
budgetperday = 50

[launchers.cluster]
kind = "slurm"
host = "-oProxyCommand=id"
[launchers.cluster.targets."my gpu"]
`;
  const message = ((): string => {
    try {
      parseLaunchers(text, "launchers.toml");
    } catch (error) {
      return (error as Error).message;
    }
    return "";
  })();
  for (const each of [
    /^--launchers "launchers.toml": /,
    /launchers\.actions\.repository: use OWNER\/NAME/,
    /launchers\.actions\.tokenFile: use an absolute path/,
    /launchers\.actions\.targets\.MI300\.runsOn: /,
    /launchers\.actions\.targets\.MI300\.maxRunners: /,
    /launchers\.actions\.targets\.MI300: .*budgetperday/,
    /launchers\.cluster\.host: use letters/,
    /launchers\.cluster\.targets\.my gpu: /,
  ]) {
    expect(message).toMatch(each);
  }
});

test.each([
  ["[launchers.a", /line 1: /],
  ['[launchers.a]\nkind = "cloud"\n[launchers.a.targets.cpu]', /launchers\.a\.kind: /],
  ['[launchers.a]\nkind = "local"\ntargets = {}', /launchers\.a\.targets: name at least one target/],
  ['[launchers.A]\nkind = "local"', /launchers\.A: /],
])("%j is refused", (text, sentence) => {
  expect(() => parseLaunchers(text, "launchers.toml")).toThrow(sentence);
});

test("reports a missing file", () => {
  expect(() => readLaunchers("/nowhere/launchers.toml")).toThrow('--launchers "/nowhere/launchers.toml": ENOENT');
});

test("a printed configuration contains no secrets", () => {
  const text = `
[launchers.cloud]
kind = "modal"
tokenIdFile = "${secret("id")}"
tokenSecretFile = "${secret("key")}"
[launchers.cloud.targets.H100]
image = "kernelbot"
gpu = "H100"
`;
  const launchers = parseLaunchers(text, "launchers.toml");
  expect(inspect(launchers, { depth: 9 }) + JSON.stringify(launchers)).not.toContain("the secret itself");
});
