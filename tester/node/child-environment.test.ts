import { expect, test } from "vitest";
import { childEnvironment } from "./child-environment.ts";

const SERVER = {
  PATH: "/usr/bin",
  HOME: "/home/kernelbot",
  LC_ALL: "C.UTF-8",
  HTTPS_PROXY: "http://proxy:3128",
  SSH_AUTH_SOCK: "/tmp/agent",
  CUDA_VISIBLE_DEVICES: "1",
  KERNELBOT_PYTHON: "/opt/python3",
  AWS_SECRET_ACCESS_KEY: "secret",
  AWS_PROFILE: "secret",
  DATABASE_URL: "secret",
  KERNELBOT_GITHUB_CLIENT_SECRET: "secret",
  KERNELBOT_HUGGING_FACE_TOKEN: "secret",
  KERNELBOT_SIGNING_KEY: "secret",
  KERNELBOT_RUNNER_TOKEN: "secret",
  CUDA_REGISTRY_TOKEN: "secret",
  GIT_PASSWORD: "secret",
  NODE_OPTIONS: "--import /tmp/secret.mjs",
  PGPASSWORD: "secret",
  SOME_VENDORS_NAME_FOR_A_SECRET: "secret",
};

test("a child process gets only the listed variables", () => {
  expect(childEnvironment(SERVER)).toEqual({ PATH: "/usr/bin", HOME: "/home/kernelbot", LC_ALL: "C.UTF-8" });
});

test("each need adds its own variables", () => {
  expect(Object.keys(childEnvironment(SERVER, "python"))).toEqual(
    expect.arrayContaining(["CUDA_VISIBLE_DEVICES", "KERNELBOT_PYTHON"]),
  );
  expect(childEnvironment(SERVER, "ssh")).toHaveProperty("SSH_AUTH_SOCK");
  expect(childEnvironment(SERVER, "network")).toHaveProperty("HTTPS_PROXY");
  expect(childEnvironment(SERVER, "python")).not.toHaveProperty("HTTPS_PROXY");
});

test("no combination of needs passes a secret on", () => {
  const values = Object.values(childEnvironment(SERVER, "python", "network", "ssh", "git"));
  expect(values.filter((value) => value.includes("secret"))).toEqual([]);
});
