/** The manifests in deploy/kubernetes, as far as they can be checked without a cluster. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdir, mkdtempDisposable, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { z } from "zod";
import { pinned } from "../tester/node/pinned-packages.mjs";
import { startProgram } from "./known-settings.ts";

const ROOT = join(import.meta.dirname, "..");
const FOLDER = join(ROOT, "deploy/kubernetes");
const read = (file: string): string => readFileSync(join(FOLDER, file), "utf8");

const { resources, images } = z
  .object({ resources: z.array(z.string()), images: z.array(z.object({ name: z.string(), newTag: z.string() })) })
  .parse(parse(read("kustomization.yaml")));

const Labels = z.record(z.string(), z.string());
const Selector = z.object({ matchLabels: Labels }).partial();
const Port = z.union([z.string(), z.number()]);
const Container = z.object({
  name: z.string(),
  image: z.string(),
  args: z.array(z.string()),
  env: z.array(z.object({ name: z.string() })).default([]),
  envFrom: z.array(z.object({ configMapRef: z.object({ name: z.string() }).optional() })).default([]),
  ports: z.array(z.object({ name: z.string(), containerPort: z.number() })).default([]),
  securityContext: z.looseObject({ allowPrivilegeEscalation: z.boolean(), capabilities: z.unknown() }),
  volumeMounts: z.array(z.object({ name: z.string() })).default([]),
  readinessProbe: z.unknown().optional(),
  livenessProbe: z.unknown().optional(),
});
const Template = z.object({
  metadata: z.object({ labels: Labels }),
  spec: z.object({
    automountServiceAccountToken: z.boolean(),
    containers: z.array(Container),
    initContainers: z.array(Container).default([]),
    securityContext: z.unknown().optional(),
    volumes: z.array(z.object({ name: z.string() })).default([]),
  }),
});
const Peer = z.object({ namespaceSelector: Selector, podSelector: Selector }).partial();
const Rule = z.object({
  from: z.array(Peer).optional(),
  to: z.array(Peer).optional(),
  ports: z.array(z.object({ protocol: z.string(), port: Port })).optional(),
});
const Manifest = z.object({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.object({ name: z.string(), namespace: z.string().optional() }),
  data: z.record(z.string(), z.string()).optional(),
  spec: z
    .object({
      replicas: z.number().optional(),
      minAvailable: z.number().optional(),
      selector: z.union([z.object({ matchLabels: Labels }), Labels]).optional(),
      template: Template.optional(),
      ports: z.array(z.object({ name: z.string(), port: z.number(), targetPort: Port })).optional(),
      podSelector: Selector.optional(),
      policyTypes: z.array(z.string()).optional(),
      ingress: z.array(Rule).optional(),
      egress: z.array(Rule).optional(),
    })
    .optional(),
});
type Manifest = z.infer<typeof Manifest>;

const documents = resources.flatMap((file) =>
  parseAllDocuments(read(file)).map((document) => document.toJS() as unknown),
);
const manifests = documents.map((document) => Manifest.parse(document));

function find(kind: string, name: string, namespace?: string): Manifest {
  const found = manifests.find(
    (each) =>
      each.kind === kind &&
      each.metadata.name === name &&
      (namespace === undefined || each.metadata.namespace === namespace),
  );
  if (found === undefined) throw new Error(`there is no ${kind} ${name}`);
  return found;
}
const workloads = manifests.flatMap((manifest) => {
  const template = manifest.spec?.template;
  return template === undefined ? [] : [{ manifest, template, name: manifest.metadata.name }];
});
const [server = z.never().parse(null)] = find("Deployment", "kernelbot-server").spec?.template?.spec.containers ?? [];

test("every field of the manifests is one of Kubernetes, with a value of its type", async () => {
  await mkdir(join(ROOT, "node_modules/.cache"), { recursive: true });
  await using folder = await mkdtempDisposable(join(ROOT, "node_modules/.cache/kubernetes-"));
  // The compiler rejects fields that a type does not have where they are written as literals.
  const declarations = documents.map((document, index) => {
    const { apiVersion, kind } = Manifest.parse(document);
    const module = `kubernetes-types/${apiVersion.replace(".k8s.io", "").replace(/^v1$/, "core/v1")}`;
    return `export const manifest${index}: import("${module}").${kind} = ${JSON.stringify(document, null, 1)};\n`;
  });
  await writeFile(join(folder.path, "manifests.ts"), declarations.join(""));
  const compiler = join(ROOT, "node_modules/ts7/bin/tsc");
  const options = "--noEmit --strict --ignoreConfig --skipLibCheck --module preserve --types node".split(" ");
  const { stdout } = spawnSync(process.execPath, [compiler, ...options, join(folder.path, "manifests.ts")], {
    encoding: "utf8",
  });
  expect(stdout).toBe("");
});

test("every manifest is in a namespace of its own file, and has a unique name", () => {
  const namespaces = manifests.filter(({ kind }) => kind === "Namespace").map(({ metadata }) => metadata.name);
  for (const { kind, metadata } of manifests) {
    if (kind !== "Namespace") expect(namespaces, `${kind} ${metadata.name}`).toContain(metadata.namespace);
  }
  const names = manifests.map(({ kind, metadata }) => `${kind} ${metadata.namespace ?? ""}/${metadata.name}`);
  expect(new Set(names).size).toBe(names.length);
});

test("the images are those that the bake file builds, in its version", () => {
  expect(images.map(({ newTag }) => newTag)).toEqual(images.map(() => pinned("IMAGE_VERSION")));
  const used = workloads.flatMap(({ template: { spec } }) => [...spec.initContainers, ...spec.containers]);
  expect(new Set(used.map(({ image }) => image))).toEqual(new Set(images.map(({ name }) => name)));
  for (const { name } of images) {
    expect(readFileSync(join(ROOT, "deploy/images/docker-bake.hcl"), "utf8")).toContain(`/${name}:`);
  }
});

test("servers and runners are started with options and settings that they have", () => {
  for (const { template, manifest } of workloads) {
    for (const { args, env, envFrom, name } of [...template.spec.initContainers, ...template.spec.containers]) {
      const settings = envFrom.flatMap(({ configMapRef }) =>
        configMapRef === undefined ? [] : Object.entries(find("ConfigMap", configMapRef.name).data ?? {}),
      );
      const secrets = { AWS_ACCESS_KEY_ID: "x", AWS_SECRET_ACCESS_KEY: "x", DATABASE_URL: "postgres://x/y" };
      const own = env.map((each) => [each.name, "kb_x"] as const);
      const all = { ...(args[0] === "kernelbot-server" && secrets), ...Object.fromEntries([...settings, ...own]) };
      expect(() => startProgram(args, all), `${manifest.metadata.name}: ${name}`).not.toThrow();
    }
  }
});

test("selectors select the pods that they are for", () => {
  for (const { manifest, template } of workloads) {
    const { selector } = manifest.spec ?? {};
    if (selector !== undefined) expect(selector).toEqual({ matchLabels: template.metadata.labels });
  }
  const labels = find("Deployment", "kernelbot-server").spec?.template?.metadata.labels;
  expect(find("Service", "kernelbot-server").spec?.selector).toEqual(labels);
  expect(find("PodDisruptionBudget", "kernelbot-server").spec?.selector).toEqual({ matchLabels: labels });
});

test("two servers run, one of them during a disruption, and a probe says which are ready", () => {
  expect(find("Deployment", "kernelbot-server").spec?.replicas).toBe(2);
  expect(find("PodDisruptionBudget", "kernelbot-server").spec?.minAvailable).toBe(1);
  expect(server.readinessProbe).toMatchObject({ httpGet: { path: "/readyz", port: "http" } });
  expect(server.livenessProbe).toMatchObject({ httpGet: { path: "/healthz", port: "http" } });
});

test("ports lead from the ingress by the service to the server, and metrics to their own port", () => {
  const [http, operators] = server.ports;
  expect(http).toEqual({ name: "http", containerPort: 8080 });
  expect(find("ConfigMap", "kernelbot-server").data?.KERNELBOT_OPERATORS).toBe(`0.0.0.0:${operators?.containerPort}`);
  expect(find("Service", "kernelbot-server").spec?.ports).toEqual([{ name: "http", port: 80, targetPort: "http" }]);
  expect(read("ingress.yaml")).toContain("port: { name: http }");
  expect(read("runner.yaml")).toContain("--server=http://kernelbot-server.kernelbot.svc\n");
});

test("volumes that are mounted exist", () => {
  for (const { template, name } of workloads) {
    const mounted = [...template.spec.initContainers, ...template.spec.containers].flatMap((each) => each.volumeMounts);
    expect(new Set(mounted.map((each) => each.name)), name).toEqual(
      new Set(template.spec.volumes.map((each) => each.name)),
    );
  }
});

test("no container has rights beyond its work; the runner has what the sandbox needs", () => {
  for (const { template, name } of workloads) {
    expect(template.spec.automountServiceAccountToken, name).toBe(false);
    for (const { securityContext } of [...template.spec.initContainers, ...template.spec.containers]) {
      expect(securityContext, name).toMatchObject({ allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } });
      expect({ ...(template.spec.securityContext as object), ...securityContext }, name).toMatchObject({
        runAsNonRoot: true,
      });
    }
  }
  expect(find("Deployment", "kernelbot-runner-h100").spec?.template?.spec.containers[0]?.securityContext).toMatchObject(
    {
      seccompProfile: { type: "Unconfined" },
      appArmorProfile: { type: "Unconfined" },
      procMount: "Unmasked",
    },
  );
});

test("runners reach only the servers, and only servers reach the database", () => {
  for (const namespace of ["kernelbot", "kernelbot-runners"]) {
    const { podSelector, policyTypes } = find("NetworkPolicy", "default-deny", namespace).spec ?? {};
    expect({ podSelector, policyTypes }).toEqual({ podSelector: {}, policyTypes: ["Ingress", "Egress"] });
  }
  const reached = (policy: string): unknown[] =>
    (find("NetworkPolicy", policy).spec?.egress ?? []).flatMap(({ ports = [] }) => ports.map(({ port }) => port));
  expect(reached("runner")).toEqual([53, 53, 8080]);
  expect(find("NetworkPolicy", "runner").spec?.egress?.[1]?.to).toEqual([
    {
      namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "kernelbot" } },
      podSelector: { matchLabels: { "app.kubernetes.io/name": "kernelbot-server" } },
    },
  ]);
  const policies = manifests.filter(({ kind }) => kind === "NetworkPolicy");
  const toDatabase = policies.filter(({ metadata }) => reached(metadata.name).includes(5432));
  expect(toDatabase.map(({ metadata }) => metadata.name)).toEqual(["server"]);
});
