import { generateKeyPairSync } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { exportJWK, SignJWT } from "jose";
import { KINDS } from "./kinds.ts";
import { parseLaunchers } from "./config.ts";
import { fakeService, fileWith, launcherOf, ORDER, SIGNAL, type Asked } from "@kernelbot/testing/launchers.ts";

const RUNS = "/repos/lab/kernels/actions";
const DISPATCH = `${RUNS}/workflows/kernelbot-runner.yml/dispatches`;

const configOf = (url: string, auth: string): string => `
kind = "github"
repository = "lab/kernels"
apiUrl = "${url}"
issuer = "${url}"
${auth}
[launchers.test.targets.H100]
runsOn = ["self-hosted", "h100"]
image = "ghcr.io/lab/kernelbot-runner-cuda:1"
containerOptions = "--gpus all"
`;

/** Fake of GitHub's API, in which every dispatch creates a run. */
async function fakeGitHub(
  instead: (request: Asked) => { status: number; body?: unknown } | undefined = () => undefined,
) {
  let runs: { id: number; display_title: string; status: string; conclusion: string | null }[] = [];
  const service = await fakeService((request) => {
    const other = instead(request);
    if (other !== undefined) return other;
    const { method, path, body, headers } = request;
    if (path === "/app/installations/5/access_tokens") {
      return { status: 201, body: { token: "ghs_of-the-app", expires_at: "2099-01-01T00:00:00Z", permissions: {} } };
    }
    if (!["token ghp_written", "token ghs_of-the-app"].includes(headers.authorization ?? "")) {
      return { status: 401, body: { message: "Bad credentials" } };
    }
    if (method === "POST" && path === DISPATCH) {
      const { inputs } = body as { inputs: { launch: string } };
      const id = 1000 + runs.length;
      runs.push({ id, display_title: inputs.launch, status: "queued", conclusion: null });
      return { status: 200, body: { workflow_run_id: id, run_url: "", html_url: "" } };
    }
    if (path.startsWith(`${RUNS}/workflows/kernelbot-runner.yml/runs?`)) {
      return { status: 200, body: { total_count: runs.length, workflow_runs: runs } };
    }
    const [, number, verb] = /\/actions\/runs\/(\d+)(\/cancel)?$/.exec(path) ?? [];
    const run = runs.find(({ id }) => id === Number(number));
    if (run === undefined) return { status: 404, body: { message: "Not Found" } };
    if (verb === undefined) return { status: 200, body: run };
    if (run.status === "completed")
      return { status: 409, body: { message: "Cannot cancel a workflow run that is completed." } };
    Object.assign(run, { status: "completed", conclusion: "cancelled" });
    return { status: 202, body: {} };
  });
  const launcher = await launcherOf(configOf(service.url, `tokenFile = "${fileWith("ghp_written\n")}"`));
  return { ...service, launcher, runs: () => runs, forget: () => void (runs = []) };
}

test("dispatches the workflow without secrets and returns the run id", async () => {
  using github = await fakeGitHub();
  expect(await github.launcher.launch({ ...ORDER, token: null }, SIGNAL)).toBe("1000");
  expect(github.requests.at(-1)).toMatchObject({
    path: DISPATCH,
    body: {
      ref: "main",
      return_run_details: true,
      inputs: {
        launch: ORDER.name,
        server: "https://kernels.example.org",
        target: "H100",
        runs_on: '["self-hosted","h100"]',
        image: "ghcr.io/lab/kernelbot-runner-cuda:1",
        container_options: "--gpus all",
        idle_seconds: "120",
        ends_at: "2030-01-01T12:00:00.000Z",
        timeout_minutes: "120",
        unsafe_no_sandbox: "false",
      },
    },
  });
  expect(github.launcher.usesProof).toBe(true);
  const file = join(import.meta.dirname, "../../../../../deploy/github-actions/kernelbot-runner.yml");
  const workflow = parse(readFileSync(file, "utf8")) as { on: { workflow_dispatch: { inputs: object } } };
  const sent = (github.requests.at(-1)?.body as { inputs: object }).inputs;
  expect(Object.keys(sent)).toEqual(Object.keys(workflow.on.workflow_dispatch.inputs));
});

test("authenticates as an App with its key", async () => {
  using github = await fakeGitHub();
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const keyFile = fileWith(privateKey.export({ type: "pkcs1", format: "pem" }).toString());
  const launcher = await launcherOf(configOf(github.url, `app = { id = 7, installation = 5, keyFile = "${keyFile}" }`));
  expect(await launcher.launch(ORDER, SIGNAL)).toBe("1000");
  expect(github.requests.at(-1)?.headers.authorization).toBe("token ghs_of-the-app");
});

test("throws Refused for a 4xx response, and another error for a 5xx response", async () => {
  let status = 422;
  using github = await fakeGitHub(({ path }) =>
    path === DISPATCH ? { status, body: { message: "Unexpected inputs provided" } } : undefined,
  );
  const launching = github.launcher.launch(ORDER, SIGNAL);
  await expect(launching).rejects.toMatchObject({
    name: "Refused",
    message: expect.stringContaining("Unexpected") as string,
  });
  status = 502;
  await expect(github.launcher.launch(ORDER, SIGNAL)).rejects.toMatchObject({ name: "GitHubError", status: 502 });
});

test("finds a run by its name after the response was lost", async () => {
  using github = await fakeGitHub();
  const askedAt = new Date("2026-03-10T12:00:00Z");
  expect(await github.launcher.find(ORDER.name, askedAt, SIGNAL)).toBeNull();
  await github.launcher.launch({ ...ORDER, name: "kernelbot-another" }, SIGNAL);
  await github.launcher.launch(ORDER, SIGNAL);
  expect(await github.launcher.find(ORDER.name, askedAt, SIGNAL)).toBe("1001");
  expect(github.requests.at(-1)?.path).toContain("event=workflow_dispatch&created=%3E%3D2026-03-10T11%3A59%3A00Z");
});

test("reports a run's state, and ended after its cancellation", async () => {
  using github = await fakeGitHub();
  const { launcher } = github;
  const id = await launcher.launch(ORDER, SIGNAL);
  expect(await launcher.status(id, SIGNAL)).toEqual({ state: "queued", detail: "workflow run: queued" });
  Object.assign(github.runs()[0] ?? {}, { status: "in_progress" });
  expect(await launcher.status(id, SIGNAL)).toEqual({ state: "running" });
  await launcher.cancel(id, SIGNAL);
  expect(await launcher.status(id, SIGNAL)).toEqual({ state: "ended", detail: "workflow run completed: cancelled" });
  // Cancelling a run that has ended or was deleted does nothing.
  await launcher.cancel(id, SIGNAL);
  github.forget();
  await launcher.cancel(id, SIGNAL);
  expect(await launcher.status(id, SIGNAL)).toEqual({
    state: "ended",
    detail: "the workflow run no longer exists on GitHub",
  });
});

const SERVER = "https://kernels.example.org";
const CLAIMS = {
  repository: "Lab/Kernels",
  workflow_ref: "Lab/Kernels/.github/workflows/kernelbot-runner.yml@refs/heads/main",
  event_name: "workflow_dispatch",
  run_id: "1000",
};

test("accepts only tokens that GitHub signed for the configured repository and workflow", async () => {
  const signing = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const jwk = { ...(await exportJWK(signing.publicKey)), kid: "k1", alg: "RS256", use: "sig" };
  using github = await fakeGitHub(({ path }) =>
    path === "/.well-known/jwks" ? { status: 200, body: { keys: [jwk] } } : undefined,
  );
  const auth = `tokenFile = "${fileWith("ghp_written")}"`;
  const [config] = parseLaunchers(`[launchers.test]${configOf(github.url, auth)}`, "launchers.toml");
  const verify = async (
    claims: Record<string, unknown>,
    change: { key?: typeof signing; audience?: string; issuer?: string; ends?: string } = {},
  ) => {
    const { key = signing, audience = SERVER, issuer = github.url, ends = "5 min" } = change;
    const statement = await new SignJWT(claims)
      .setProtectedHeader({ alg: "RS256", kid: "k1" })
      .setIssuer(issuer)
      .setAudience(audience)
      .setExpirationTime(ends)
      .sign(key.privateKey);
    return KINDS.github.verify?.(config?.settings, statement, SERVER);
  };
  expect(await verify(CLAIMS)).toBe("1000");
  expect(await verify({ ...CLAIMS, repository: "evil/kernels" })).toBeNull();
  expect(
    await verify({ ...CLAIMS, workflow_ref: "lab/kernels/.github/workflows/other.yml@refs/heads/main" }),
  ).toBeNull();
  expect(await verify({ ...CLAIMS, workflow_ref: CLAIMS.workflow_ref.replace("main", "fork") })).toBeNull();
  expect(await verify({ ...CLAIMS, event_name: "pull_request" })).toBeNull();
  expect(await verify({ repository: "lab/kernels" })).toBeNull();
  expect(await verify(CLAIMS, { audience: "https://elsewhere.example.org" })).toBeNull();
  expect(await verify(CLAIMS, { issuer: "https://elsewhere.example.org" })).toBeNull();
  expect(await verify(CLAIMS, { ends: "-5 min" })).toBeNull();
  expect(await verify(CLAIMS, { key: generateKeyPairSync("rsa", { modulusLength: 2048 }) })).toBeNull();
  expect(await KINDS.github.verify?.(config?.settings, "nonsense", SERVER)).toBeNull();
});
