/** deploy/compose.yaml, as far as it can be checked without starting it. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { pinned } from "../tester/node/pinned-packages.mjs";
import { startProgram } from "./known-settings.ts";

const DEPLOY = join(import.meta.dirname, "../deploy");

const Service = z.strictObject({
  image: z.string(),
  restart: z.enum(["no", "on-failure", "unless-stopped"]),
  command: z.array(z.string()).optional(),
  environment: z.record(z.string(), z.union([z.string(), z.number()])).default({}),
  ports: z.array(z.string()).default([]),
  volumes: z.array(z.string()).default([]),
  networks: z.array(z.string()).default([]),
  network_mode: z.literal("none").optional(),
  depends_on: z
    .record(z.string(), z.strictObject({ condition: z.enum(["service_healthy", "service_completed_successfully"]) }))
    .default({}),
  healthcheck: z.looseObject({ disable: z.boolean().optional() }).optional(),
  init: z.boolean().optional(),
  read_only: z.boolean().optional(),
  tmpfs: z.string().optional(),
  stop_grace_period: z.string().optional(),
  cap_drop: z.array(z.string()).default([]),
  security_opt: z.array(z.string()).default([]),
});
const Compose = z.looseObject({
  services: z.record(z.string(), Service),
  networks: z.record(z.string(), z.strictObject({ internal: z.boolean() }).nullable()),
  volumes: z.record(z.string(), z.null()),
});

/** The file as Compose reads it where no setting is given. */
const text = readFileSync(join(DEPLOY, "compose.yaml"), "utf8").replace(/\$\{\w+:-([^}]*)\}/g, "$1");
const { services, networks, volumes } = Compose.parse(parse(text, { merge: true }));
const named = (name: string): z.infer<typeof Service> => Service.parse(services[name]);
const ours = Object.entries(services).filter(([name]) => name !== "database");

test("the images are those that the bake file builds, and every image has a version", () => {
  const version = pinned("IMAGE_VERSION");
  expect(named("server").image).toBe(`kernelbot/kernelbot-server:${version}`);
  expect(named("runner").image).toBe(`kernelbot/kernelbot-runner-cpu:${version}`);
  expect(named("database").image).toMatch(/^postgres:\d+\.\d+$/);
});

test("server and runner understand their settings", () => {
  for (const name of ["server", "runner"]) {
    const { command = ["kernelbot-server", "serve"], environment } = named(name);
    // The file of the address exists only in the installation.
    const { DATABASE_URL_FILE: _, ...rest } = environment;
    const texts = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, String(value)]));
    const args = command.filter((each) => each !== "--token-file" && each !== "/run/kernelbot/token");
    expect(() => startProgram(args, texts), name).not.toThrow();
  }
});

test("services wait for what they need, which exists and says when it is ready", () => {
  for (const { depends_on: needed } of Object.values(services)) {
    for (const [name, { condition }] of Object.entries(needed)) {
      const { restart, healthcheck, command } = named(name);
      if (condition === "service_healthy") expect(healthcheck?.disable, name).toBeUndefined();
      else expect({ restart, script: command?.[0] }, name).toEqual({ restart: "no", script: "sh" });
    }
  }
});

test("volumes, networks and scripts exist, and each is used", () => {
  const mounted = Object.values(services).flatMap((service) => service.volumes.map((each) => each.split(":")[0] ?? ""));
  expect(new Set(mounted.filter((name) => name !== "./compose"))).toEqual(new Set(Object.keys(volumes)));
  expect(new Set(Object.values(services).flatMap((service) => service.networks))).toEqual(
    new Set(Object.keys(networks)),
  );
  const scripts = Object.values(services).flatMap(({ command = [] }) =>
    command.filter((each) => each.startsWith("/setup/")),
  );
  expect(scripts.map((each) => each.slice("/setup/".length)).toSorted()).toEqual(
    globSync("*", { cwd: join(DEPLOY, "compose") }).toSorted(),
  );
});

test("the server is published on this machine only, and the runner reaches nothing but the server", () => {
  expect(Object.entries(services).filter(([, { ports }]) => ports.length > 0)).toHaveLength(1);
  expect(named("server").ports).toEqual(["127.0.0.1:8080:8080"]);
  expect(named("runner").networks).toEqual(["runners"]);
  expect(named("database").networks).toEqual(["database"]);
  expect(networks).toMatchObject({ database: { internal: true }, runners: { internal: true } });
  expect(named("runner").volumes.map((each) => each.split(":")[0])).toEqual(["runner-cache", "runner-token"]);
});

test("no password is in the file, and no service of ours has a capability", () => {
  expect(text).not.toMatch(/PASSWORD: |postgres:\/\//);
  for (const [name, { cap_drop: dropped, security_opt: options }] of ours) {
    expect(dropped, name).toEqual(["ALL"]);
    expect(options, name).toContain("no-new-privileges:true");
  }
});

test("the runner has what the sandbox needs from Docker, and the other services do not", () => {
  const needed = ["seccomp=unconfined", "apparmor=unconfined", "systempaths=unconfined"];
  // The tester names them where the sandbox cannot be set up.
  const advice = readFileSync(join(DEPLOY, "../tester/kernelbot_tester/sandbox/sandbox.py"), "utf8");
  for (const option of needed) expect(advice).toContain(`--security-opt ${option}`);
  for (const [name, { security_opt: options }] of ours) {
    expect(options.slice(1), name).toEqual(name === "runner" ? needed : []);
  }
});
