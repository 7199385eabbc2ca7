/**
 * Runners as jobs of GitHub Actions, by `workflow_dispatch` of deploy/github-actions/kernelbot-runner.yml.
 *
 * Inputs of a dispatch, and logs of a public repository, are public, so they contain no secret. GitHub issues a job a
 * signed token (OpenID Connect) that names repository, workflow and run. With it the runner requests its token from
 * this server (join.ts), which grants it if this server started that run.
 */
import { createRemoteJWKSet, errors, jwtVerify } from "jose";
import { z } from "zod";
import {
  createRequest,
  GitHubError,
  openOctokits,
  fallbackOnStatus,
  type RequestFunction,
  type GitHubAuth,
} from "../github/client.ts";
import { defineKind, targetOf } from "./kind.ts";
import { Refused, type Launcher, type LaunchRequest } from "./launcher.ts";
import { FilePath, readSecret } from "./secret-file.ts";
import { TargetSettings } from "./settings.ts";

const ApiUrl = z.url({ protocol: /^https?$/ }).transform((url) => url.replace(/\/$/, ""));

const Settings = z
  .strictObject({
    /** OWNER/NAME of the repository that contains the workflow. */
    repository: z.string().regex(/^[\w-]{1,39}\/[\w.-]{1,100}$/, "use OWNER/NAME"),
    workflow: z
      .string()
      .regex(/^[\w.-]+\.ya?ml$/, "use the file name of a workflow in .github/workflows")
      .default("kernelbot-runner.yml"),
    branch: z.string().min(1).default("main"),
    /** File with a token with write access to the repository's Actions; or an App that has it. */
    tokenFile: FilePath.optional(),
    app: z.strictObject({ id: z.int().positive(), installation: z.int().positive(), keyFile: FilePath }).optional(),
    apiUrl: ApiUrl.default("https://api.github.com"),
    /** Issuer of the jobs' OpenID Connect tokens. */
    issuer: ApiUrl.default("https://token.actions.githubusercontent.com"),
  })
  .refine(({ tokenFile, app }) => (tokenFile === undefined) !== (app === undefined), {
    path: ["tokenFile"],
    message: "set either tokenFile or app, not both",
  });
type Settings = z.infer<typeof Settings>;

const Target = TargetSettings.extend({
  /** Labels of the machines on which the job may run. */
  runsOn: z.array(z.string().min(1)).min(1),
  /** Container image of the job; empty when the runner is installed on the machine. */
  image: z.string().default(""),
  /** Additional Docker options, such as `--gpus all`. */
  containerOptions: z.string().default(""),
});

const Run = z.object({ id: z.int(), status: z.string().nullable(), conclusion: z.string().nullable() });

export const github = defineKind({
  settings: Settings,
  target: Target,

  async open({ settings, targets }): Promise<Launcher> {
    const [owner = "", repo = ""] = settings.repository.split("/");
    const where = { owner, repo };
    const client = await openClient(settings);
    const ask = async (signal: AbortSignal): Promise<RequestFunction> => {
      const own = createRequest(await client());
      return (shape, route, parameters) => own(shape, route, { ...where, ...parameters, request: { signal } });
    };

    return {
      usesProof: true,

      async launch(order, signal) {
        const route = "POST /repos/{owner}/{repo}/actions/workflows/{workflow}/dispatches";
        const Started = z.object({ workflow_run_id: z.int() });
        const { workflow, branch: ref } = settings;
        const inputs = inputsOf(order, targetOf(targets, order.target));
        const ours = await ask(signal);
        try {
          const started = await ours(Started, route, { workflow, ref, inputs, return_run_details: true });
          return String(started.workflow_run_id);
        } catch (error) {
          throw error instanceof GitHubError && error.isRefusal ? new Refused(error.message, { cause: error }) : error;
        }
      },

      /**
       * Finds the run by its name, which the workflow's `run-name` sets to the launch's name. GitHub lists new runs
       * with a delay.
       */
      async find(name, askedAt, signal) {
        const Runs = z.object({ workflow_runs: z.array(z.object({ id: z.int(), display_title: z.string() })) });
        const created = `>=${new Date(askedAt.getTime() - 60_000).toISOString().slice(0, 19)}Z`;
        const route = "GET /repos/{owner}/{repo}/actions/workflows/{workflow}/runs";
        const { workflow } = settings;
        const ours = await ask(signal);
        const found = await ours(Runs, route, { workflow, event: "workflow_dispatch", created, per_page: 100 });
        const run = found.workflow_runs.find(({ display_title }) => display_title === name);
        return run === undefined ? null : String(run.id);
      },

      async status(id, signal) {
        const ours = await ask(signal);
        const run = await fallbackOnStatus(ours(Run, "GET /repos/{owner}/{repo}/actions/runs/{id}", { id }), 404, null);
        if (run === null) return { state: "ended", detail: "the workflow run no longer exists on GitHub" };
        if (run.status === "completed") return { state: "ended", detail: `workflow run completed: ${run.conclusion}` };
        if (run.status === "in_progress") return { state: "running" };
        return { state: run.status === "queued" ? "queued" : "waiting", detail: `workflow run: ${run.status}` };
      },

      async cancel(id, signal) {
        const ours = await ask(signal);
        const answer = ours(z.unknown(), "POST /repos/{owner}/{repo}/actions/runs/{id}/cancel", { id });
        // 409: the run has ended; 404: the run was deleted.
        await fallbackOnStatus(fallbackOnStatus(answer, 409, null), 404, null);
      },
    };
  },

  async verify(settings, proof, audience) {
    const { repository, workflow, branch, issuer } = settings;
    try {
      const { payload } = await jwtVerify(proof, keysOf(issuer), { issuer, audience, algorithms: ["RS256"] });
      const claims = Claims.parse(payload);
      // Repository names are case-insensitive.
      const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();
      const ours =
        same(claims.repository, repository) &&
        same(claims.workflow_ref, `${repository}/.github/workflows/${workflow}@refs/heads/${branch}`) &&
        claims.event_name === "workflow_dispatch";
      return ours ? claims.run_id : null;
    } catch (error) {
      // A failure to fetch the keys says nothing about the token.
      const faulty = error instanceof errors.JOSEError && error.code !== "ERR_JOSE_GENERIC";
      if ((faulty && !(error instanceof errors.JWKSTimeout)) || error instanceof z.ZodError) return null;
      throw error;
    }
  },
});

/** Claims of the job's token; see https://docs.github.com/actions/reference/security/oidc */
const Claims = z.object({
  repository: z.string(),
  workflow_ref: z.string(),
  event_name: z.string(),
  run_id: z.string().regex(/^\d+$/),
});

const keySets = new Map<string, ReturnType<typeof createRemoteJWKSet>>();

/** Returns the keys of an issuer, which are cached. */
function keysOf(issuer: string): ReturnType<typeof createRemoteJWKSet> {
  const known = keySets.get(issuer) ?? createRemoteJWKSet(new URL(`${issuer}/.well-known/jwks`));
  keySets.set(issuer, known);
  return known;
}

function inputsOf(order: LaunchRequest, target: z.infer<typeof Target>): Record<string, string> {
  return {
    launch: order.name,
    server: order.server,
    target: order.target,
    runs_on: JSON.stringify(target.runsOn),
    image: target.image,
    container_options: target.containerOptions,
    idle_seconds: String(order.idleS),
    ends_at: order.endsBy.toISOString(),
    timeout_minutes: String(Math.ceil(order.hardLimitS / 60)),
    unsafe_no_sandbox: String(target.unsafeNoSandbox),
  };
}

/**
 * Returns a function that returns the client for the current content of the secret file; a client caches its
 * installation token for one hour.
 */
async function openClient({ apiUrl, tokenFile, app }: Settings) {
  const open = await openOctokits(apiUrl);
  let made: { secret: string; client: ReturnType<typeof open> } | undefined;
  return async () => {
    const secret = await readSecret(tokenFile ?? app?.keyFile ?? "");
    if (made?.secret !== secret) {
      const auth: GitHubAuth =
        app === undefined ? { token: secret } : { appId: app.id, installationId: app.installation, privateKey: secret };
      made = { secret, client: open(auth) };
    }
    return made.client;
  };
}
