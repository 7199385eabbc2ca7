/**
 * Runners as Kubernetes Jobs. A launch is a Job and a Secret with the runner's token; the Job owns the Secret, so that
 * both are deleted together. Both have the unique name of the launch, so that Kubernetes rejects duplicates.
 */
import { z } from "zod";
import { defineKind, targetOf } from "./kind.ts";
import { kubernetesApi, KubernetesError } from "./kubernetes-api.ts";
import { Refused, runnerArguments, TOKEN_VARIABLE, type Launcher, type LaunchRequest } from "./launcher.ts";
import { FilePath } from "./secret-file.ts";
import { TargetSettings } from "./settings.ts";

/** Service account that Kubernetes mounts into a pod. */
const ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount";

const Label = z.string().regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/, "use lower-case letters, digits and -");
const Texts = z.record(z.string(), z.string());

const Settings = z.strictObject({
  /** URL of the API; by default that of the cluster in which this server runs. */
  apiUrl: z.url({ protocol: /^https?$/ }).optional(),
  namespace: Label.default("default"),
  /** Files with the token and the CA of the API; by default those of the pod in which this server runs. */
  tokenFile: FilePath.default(`${ACCOUNT}/token`),
  caFile: FilePath.optional(),
});

const Target = TargetSettings.extend({
  image: z.string().min(1),
  /** Resources of the pod, such as `"nvidia.com/gpu" = "1"`, used as requests and as limits. */
  resources: Texts.default({}),
  nodeSelector: Texts.default({}),
  /** Tolerations in Kubernetes' format. */
  tolerations: z.array(z.record(z.string(), z.unknown())).default([]),
  runtimeClass: z.string().optional(),
  serviceAccount: z.string().optional(),
  /** Names of the Secrets for pulling images. */
  imagePullSecrets: z.array(z.string()).default([]),
  /** How long a finished Job is kept, in minutes. */
  keepMinutes: z.number().min(0).default(60),
  /** Security context of the container. The sandbox needs user namespaces, which most default profiles forbid. */
  securityContext: z.record(z.string(), z.unknown()).default({
    runAsNonRoot: true,
    allowPrivilegeEscalation: false,
    capabilities: { drop: ["ALL"] },
    seccompProfile: { type: "Unconfined" },
    procMount: "Unmasked",
  }),
  /** Whether the pod uses the user namespace of its node; `procMount` above requires false. */
  hostUsers: z.boolean().default(false),
});
type Target = z.infer<typeof Target>;

const Job = z.object({
  metadata: z.object({ name: z.string(), uid: z.string() }),
  status: z
    .object({
      active: z.int().default(0),
      conditions: z
        .array(
          z.object({
            type: z.string(),
            status: z.string(),
            reason: z.string().nullish(),
            message: z.string().nullish(),
          }),
        )
        .default([]),
    })
    .default({ active: 0, conditions: [] }),
});
const State = z.object({ reason: z.string().nullish(), message: z.string().nullish() }).nullish();
const Pods = z.object({
  items: z.array(
    z.object({
      status: z
        .object({
          phase: z.string().default("Pending"),
          conditions: z
            .array(z.object({ status: z.string(), reason: z.string().nullish(), message: z.string().nullish() }))
            .default([]),
          containerStatuses: z
            .array(z.object({ state: z.object({ waiting: State, terminated: State }).partial() }))
            .default([]),
        })
        .default({ phase: "Pending", conditions: [], containerStatuses: [] }),
    }),
  ),
});

export const kubernetes = defineKind({
  settings: Settings,
  target: Target,
  open({ settings, targets }): Launcher {
    const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = "443" } = process.env;
    const api = kubernetesApi({
      server: settings.apiUrl ?? `https://${host ?? "kubernetes.default.svc"}:${port}`,
      tokenFile: settings.tokenFile,
      caFile: settings.caFile ?? (settings.apiUrl === undefined ? `${ACCOUNT}/ca.crt` : undefined),
    });
    const core = `/api/v1/namespaces/${settings.namespace}`;
    const jobs = `/apis/batch/v1/namespaces/${settings.namespace}/jobs`;

    async function remove(name: string, signal: AbortSignal): Promise<void> {
      const policy = { kind: "DeleteOptions", apiVersion: "v1", propagationPolicy: "Background" };
      await otherwise(api(z.unknown(), "DELETE", `${jobs}/${name}`, policy, signal), 404, null);
    }

    return {
      usesProof: false,

      async launch(order, signal) {
        try {
          const { metadata } = await api(Job, "POST", jobs, jobOf(order, targetOf(targets, order.target)), signal);
          // The pod starts only when this Secret exists: kubelet waits for a missing Secret.
          await api(z.unknown(), "POST", `${core}/secrets`, secretOf(order, metadata.uid), signal);
          return order.name;
        } catch (error) {
          // 409: the Job exists, from a call whose response was lost. `find` then finds it by name.
          const isRejected = error instanceof KubernetesError && error.status >= 400 && error.status < 500;
          if (!isRejected || [409, 429].includes(error.status)) throw error;
          await remove(order.name, signal);
          throw new Refused(error.message, { cause: error });
        }
      },

      /**
       * Returns the Job's name if Job and Secret exist. A Job without its Secret is deleted: it can never start,
       * because the token is no longer known.
       */
      async find(name, _, signal) {
        const [job, secret] = await Promise.all([
          otherwise(api(Job, "GET", `${jobs}/${name}`, undefined, signal), 404, null),
          otherwise(api(z.unknown(), "GET", `${core}/secrets/${name}`, undefined, signal), 404, null),
        ]);
        if (job === null) return null;
        if (secret !== null) return name;
        await remove(name, signal);
        return null;
      },

      async status(name, signal) {
        const job = await otherwise(api(Job, "GET", `${jobs}/${name}`, undefined, signal), 404, null);
        if (job === null) return { state: "ended", detail: "the Job no longer exists in Kubernetes" };
        const over = job.status.conditions.find(
          ({ type, status }) => status === "True" && (type === "Complete" || type === "Failed"),
        );
        if (over !== undefined) return { state: "ended", detail: joinParts([over.type, over.reason, over.message]) };
        const selector = encodeURIComponent(`batch.kubernetes.io/job-name=${name}`);
        const { items } = await api(Pods, "GET", `${core}/pods?labelSelector=${selector}`, undefined, signal);
        const status = items[0]?.status;
        if (status?.phase === "Running") return { state: "running" };
        const why = [
          ...(status?.containerStatuses.map(({ state }) => state.waiting ?? state.terminated) ?? []),
          ...(status?.conditions.filter((condition) => condition.status === "False") ?? []),
        ].find((each) => each?.reason != null);
        const state = why?.reason === "Unschedulable" ? "queued" : "waiting";
        return { state, detail: joinParts([why?.reason, why?.message]) };
      },

      cancel: remove,
    };
  },
});

function joinParts(parts: readonly (string | null | undefined)[]): string | undefined {
  return parts.filter(Boolean).join(": ") || undefined;
}

function jobOf(order: LaunchRequest, target: Target): unknown {
  const labels = { "app.kubernetes.io/name": "kernelbot-runner", "kernelbot/target": order.target };
  const { image, resources, nodeSelector, tolerations, runtimeClass, serviceAccount, securityContext, hostUsers } =
    target;
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: order.name, labels },
    spec: {
      // The server itself retries failed launches.
      backoffLimit: 0,
      activeDeadlineSeconds: order.hardLimitS,
      ttlSecondsAfterFinished: Math.round(60 * target.keepMinutes),
      template: {
        metadata: { labels },
        spec: {
          restartPolicy: "Never",
          nodeSelector,
          tolerations,
          hostUsers,
          ...(runtimeClass !== undefined && { runtimeClassName: runtimeClass }),
          // Runners do not use the cluster's API.
          automountServiceAccountToken: false,
          ...(serviceAccount !== undefined && { serviceAccountName: serviceAccount }),
          imagePullSecrets: target.imagePullSecrets.map((name) => ({ name })),
          containers: [
            {
              name: "runner",
              image,
              command: ["kernelbot-runner"],
              args: runnerArguments(order, target),
              env: [{ name: TOKEN_VARIABLE, valueFrom: { secretKeyRef: { name: order.name, key: "token" } } }],
              resources: { requests: resources, limits: resources },
              securityContext,
            },
          ],
        },
      },
    },
  };
}

function secretOf({ name, token }: LaunchRequest, uid: string): unknown {
  const owner = { apiVersion: "batch/v1", kind: "Job", name, uid };
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name, ownerReferences: [owner] },
    immutable: true,
    stringData: { token },
  };
}

async function otherwise<T, U>(answer: Promise<T>, status: number, value: U): Promise<T | U> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof KubernetesError && error.status === status) return value;
    throw error;
  }
}
