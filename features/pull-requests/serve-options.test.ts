import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readCommand } from "@kernelbot/server/src/config.ts";
import { expect, inject, test } from "vitest";

const APP = {
  KERNELBOT_GITHUB_APP_ID: "77",
  KERNELBOT_GITHUB_APP_WEBHOOK_SECRET: "what only GitHub knows",
  KERNELBOT_GITHUB_APP_REPOSITORIES: "Lab/Kernels, lab/more",
  KERNELBOT_GITHUB_APP_SUITE: "kernelbench",
  KERNELBOT_GITHUB_APP_TARGET: "H100",
  KERNELBOT_GITHUB_APP_ACCOUNT: "bench",
};

const PUBLIC = { KERNELBOT_PUBLIC_URL: "https://kernels.example.org/" };

function serveOptions(args: string[], env: NodeJS.ProcessEnv) {
  const command = readCommand(["serve", ...args], env);
  if (command.name !== "serve") throw new Error(command.name);
  return command.options;
}

function keyFile(text: string): string {
  const file = join(mkdtempSync(join(inject("scratch"), "app-")), "key.pem");
  writeFileSync(file, text);
  return file;
}

test("a GitHub App evaluates pull requests when it is fully configured and its key is readable", () => {
  expect(serveOptions([], PUBLIC).pullRequests).toBeUndefined();
  const key = "-----BEGIN RSA PRIVATE KEY-----\nhush\n-----END RSA PRIVATE KEY-----\n";
  const env = { ...APP, KERNELBOT_GITHUB_APP_KEY: keyFile(key) };
  expect(serveOptions([], { ...env, ...PUBLIC }).pullRequests).toMatchObject({
    appId: 77,
    privateKey: key,
    repositories: ["lab/kernels", "lab/more"],
    compiledBaseline: true,
    apiUrl: "https://api.github.com",
  });
  const without = serveOptions([], { ...env, ...PUBLIC, KERNELBOT_GITHUB_APP_COMPILED_BASELINE: "no" });
  expect(without.pullRequests?.compiledBaseline).toBe(false);
  expect(() => serveOptions([], env)).toThrow(/^--public-url: required with a GitHub App: the public URL/);
});

test("errors in a GitHub App's configuration name the variable and hide secrets", () => {
  const wrong = { ...APP, ...PUBLIC, KERNELBOT_GITHUB_APP_ID: "mine", KERNELBOT_GITHUB_APP_REPOSITORIES: "kernels" };
  const read = (env: NodeJS.ProcessEnv) => () => serveOptions([], env);
  expect(read({ ...wrong, KERNELBOT_GITHUB_APP_KEY: keyFile("hush") })).toThrow(
    /_APP_ID: use the App ID.*; KERNELBOT_GITHUB_APP_REPOSITORIES: "kernels" must have the form OWNER\/NAME.*; KERNELBOT_GITHUB_APP_KEY: .*is not a PEM private key/,
  );
  expect(read({ ...APP, ...PUBLIC })).toThrow(/^KERNELBOT_GITHUB_APP_KEY: missing$/);
  expect(read({ ...APP, KERNELBOT_GITHUB_APP_KEY: "/nowhere" })).toThrow(
    /KERNELBOT_GITHUB_APP_KEY: "\/nowhere" cannot be read: ENOENT/,
  );
});

test("without the feature, its variables are ignored", () => {
  const without = serveOptions(["--without", "pull-requests"], { ...APP, KERNELBOT_GITHUB_APP_ID: "mine" });
  expect(without.pullRequests).toBeUndefined();
});
