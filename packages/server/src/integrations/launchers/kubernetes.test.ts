import { expect, test } from "vitest";
import {
  ARGUMENTS,
  fakeService,
  fileWith,
  launcherOf,
  ORDER,
  SIGNAL,
  type Asked,
} from "@kernelbot/testing/launchers.ts";

const JOBS = "/apis/batch/v1/namespaces/kernels/jobs";
const CORE = "/api/v1/namespaces/kernels";

/** Fake API server that stores Jobs and Secrets by name, unless `instead` returns another response. */
async function fakeCluster(
  instead: (request: Asked) => { status: number; body?: unknown } | undefined = () => undefined,
) {
  const objects = new Map<string, Record<string, unknown>>();
  let pods: unknown[] = [];
  const service = await fakeService((request) => {
    const other = instead(request);
    if (other !== undefined) return other;
    if (request.headers.authorization !== "Bearer of-the-account") return failure(401, "Unauthorized");
    const [path = ""] = request.path.split("?");
    if (path === `${CORE}/pods`) return { status: 200, body: { items: pods } };
    const body = request.body as { metadata: { name: string } };
    const key = request.method === "POST" ? `${path}/${body.metadata.name}` : path;
    const known = objects.get(key);
    if (request.method === "POST") {
      if (known !== undefined) return failure(409, `"${body.metadata.name}" already exists`);
      const made = { ...body, metadata: { ...body.metadata, uid: `uid-${objects.size}` } };
      objects.set(key, made);
      return { status: 201, body: made };
    }
    if (known === undefined) return failure(404, "not found");
    if (request.method === "DELETE") for (const each of objects.keys()) objects.delete(each);
    return { status: 200, body: known };
  });
  const launcher = await launcherOf(`
kind = "kubernetes"
apiUrl = "${service.url}"
namespace = "kernels"
tokenFile = "${fileWith("of-the-account\n")}"
[launchers.test.targets.H100]
image = "registry.example.org/kernelbot-runner-cuda:1"
resources = { "nvidia.com/gpu" = "1", cpu = "8" }
nodeSelector = { "nvidia.com/gpu.product" = "NVIDIA-H100-80GB-HBM3" }
tolerations = [{ key = "nvidia.com/gpu", operator = "Exists", effect = "NoSchedule" }]
`);
  const setStatus = (status: unknown): void => {
    const job = objects.get(`${JOBS}/${ORDER.name}`);
    if (job !== undefined) job["status"] = status;
  };
  return { ...service, launcher, objects, setStatus, setPods: (items: unknown[]) => void (pods = items) };
}

const failure = (status: number, message: string) => ({ status, body: { kind: "Status", status: "Failure", message } });

test("creates a Job with devices and a deadline, and a Secret with the token that the Job owns", async () => {
  using cluster = await fakeCluster();
  expect(await cluster.launcher.launch(ORDER, SIGNAL)).toBe(ORDER.name);
  const job = cluster.objects.get(`${JOBS}/${ORDER.name}`);
  expect(job).toMatchObject({
    kind: "Job",
    spec: { backoffLimit: 0, activeDeadlineSeconds: 7200, ttlSecondsAfterFinished: 3600 },
  });
  expect(job).toHaveProperty("spec.template.spec", {
    restartPolicy: "Never",
    nodeSelector: { "nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3" },
    tolerations: [{ key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" }],
    hostUsers: false,
    automountServiceAccountToken: false,
    imagePullSecrets: [],
    containers: [
      {
        name: "runner",
        image: "registry.example.org/kernelbot-runner-cuda:1",
        command: ["kernelbot-runner"],
        args: ARGUMENTS,
        env: [{ name: "KERNELBOT_RUNNER_TOKEN", valueFrom: { secretKeyRef: { name: ORDER.name, key: "token" } } }],
        resources: {
          requests: { "nvidia.com/gpu": "1", cpu: "8" },
          limits: { "nvidia.com/gpu": "1", cpu: "8" },
        },
        securityContext: {
          runAsNonRoot: true,
          allowPrivilegeEscalation: false,
          capabilities: { drop: ["ALL"] },
          seccompProfile: { type: "Unconfined" },
          procMount: "Unmasked",
        },
      },
    ],
  });
  expect(JSON.stringify(job)).not.toContain(ORDER.token);
  expect(cluster.objects.get(`${CORE}/secrets/${ORDER.name}`)).toMatchObject({
    stringData: { token: ORDER.token },
    metadata: { ownerReferences: [{ kind: "Job", name: ORDER.name, uid: "uid-0" }] },
  });
});

test("reports the API's error message and leaves no objects", async () => {
  const quota = failure(403, "exceeded quota: gpus, requested: 1, used: 8, limited: 8");
  using cluster = await fakeCluster(({ method, path }) =>
    method === "POST" && path === `${CORE}/secrets` ? quota : undefined,
  );
  await expect(cluster.launcher.launch(ORDER, SIGNAL)).rejects.toMatchObject({
    name: "Refused",
    message: expect.stringContaining("exceeded quota: gpus") as string,
  });
  expect([...cluster.objects.keys()]).toEqual([]);
});

test("finds a Job by its name after the response was lost, and deletes one without Secret", async () => {
  let isAway = true;
  using cluster = await fakeCluster(({ method, path }) =>
    method === "POST" && path === `${CORE}/secrets` && isAway ? failure(500, "etcd is away") : undefined,
  );
  await expect(cluster.launcher.launch(ORDER, SIGNAL)).rejects.toMatchObject({ name: "KubernetesError", status: 500 });
  expect(await cluster.launcher.find(ORDER.name, new Date(), SIGNAL)).toBeNull();
  expect([...cluster.objects.keys()]).toEqual([]);
  isAway = false;
  await cluster.launcher.launch(ORDER, SIGNAL);
  // A second call with the same name creates no second Job and reports an unknown outcome.
  await expect(cluster.launcher.launch(ORDER, SIGNAL)).rejects.toMatchObject({ status: 409 });
  expect(await cluster.launcher.find(ORDER.name, new Date(), SIGNAL)).toBe(ORDER.name);
});

test.each([
  [{ active: 1 }, [{ status: { phase: "Running" } }], { state: "running" }],
  [
    { active: 1 },
    [
      {
        status: {
          phase: "Pending",
          conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message: "0/9 nodes" }],
        },
      },
    ],
    { state: "queued", detail: "Unschedulable: 0/9 nodes" },
  ],
  [
    { active: 1 },
    [{ status: { phase: "Pending", containerStatuses: [{ state: { waiting: { reason: "ImagePullBackOff" } } }] } }],
    { state: "waiting", detail: "ImagePullBackOff" },
  ],
  [
    { conditions: [{ type: "Failed", status: "True", reason: "DeadlineExceeded", message: "too long" }] },
    [],
    { state: "ended", detail: "Failed: DeadlineExceeded: too long" },
  ],
])("reports the state of a Job with status %j and pods %j", async (status, pods, expected) => {
  using cluster = await fakeCluster();
  await cluster.launcher.launch(ORDER, SIGNAL);
  cluster.setStatus(status);
  cluster.setPods(pods);
  expect(await cluster.launcher.status(ORDER.name, SIGNAL)).toEqual(expected);
});

test("cancelling deletes the Job with its pods, and can be repeated", async () => {
  using cluster = await fakeCluster();
  await cluster.launcher.launch(ORDER, SIGNAL);
  await cluster.launcher.cancel(ORDER.name, SIGNAL);
  expect(cluster.requests.at(-1)).toMatchObject({ method: "DELETE", body: { propagationPolicy: "Background" } });
  await cluster.launcher.cancel(ORDER.name, SIGNAL);
  expect(await cluster.launcher.status(ORDER.name, SIGNAL)).toMatchObject({ state: "ended" });
});
