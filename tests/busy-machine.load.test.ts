/**
 * A machine with fifteen busy processes for each core: whatever users and operators do takes long, ends well, and no
 * message says that a part which works has failed.
 */
import { execFile, spawn } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, inject, test } from "vitest";
import { createClient } from "@kernelbot/api";
import { externalConnection } from "@kernelbot/server/src/db/database.ts";
import { emptyDatabase } from "@kernelbot/testing/database.ts";
import { fillExisting } from "@kernelbot/testing/existing-kernelbot/existing-kernelbot.ts";
import { REPOSITORY, startFakeGitHub } from "@kernelbot/testing/fake-github.ts";
import { entryRequest, suiteSource, suiteUpload } from "@kernelbot/testing/kernelbench.ts";
import { environment, freePort, SERVER, startServer, stop } from "../scripts/processes.ts";

const BUSY_PROCESSES = 15 * availableParallelism();
/** Limit of everything that the test waits for: only a part that never ends exceeds it. */
const LONG_MS = 30 * 60_000;

/** Messages about a part of KernelBot, which is only slow here. */
const BLAME =
  /stopped responding|not responding|took longer|timed out|time limit|timeout|did not answer|unavailable|unreachable|silent|\bhangs?\b|expired|unhandled|uncaught|\bError:|"level":(50|60)/i;

/** Keeps all cores busy until it is disposed of, or this process ends. */
function makeBusy(): Disposable {
  const loop = `while kill -0 ${process.pid} 2>/dev/null; do :; done`;
  // Each in a session of its own: Linux divides the cores among sessions, and then within each (autogroup).
  const options = { stdio: "ignore", detached: true } as const;
  const children = Array.from({ length: BUSY_PROCESSES }, () => spawn("sh", ["-c", loop], options));
  return {
    [Symbol.dispose]() {
      for (const child of children) child.kill("SIGKILL");
    },
  };
}

const RELU = `import torch

class ModelNew(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x)
`;
const source = (number: number): string =>
  `# ${number}\ndef custom_kernel(data):\n    x, out = data\n    return out.copy_(x + x)\n`;

test("on a machine with fifteen busy processes for each core, everything ends well", { timeout: LONG_MS }, async () => {
  const existing = await emptyDatabase();
  await fillExisting(externalConnection(existing), { users: 5, leaderboards: 1, submissions: 40 });
  const folder = mkdtempSync(join(inject("scratch"), "busy-"));
  await using github = await startFakeGitHub();
  const { appId, privateKey, webhookSecret, apiUrl } = github.app;
  writeFileSync(join(folder, "app.pem"), privateKey);
  const port = await freePort();
  const env = {
    KERNELBOT_PUBLIC_URL: `http://127.0.0.1:${port}`,
    KERNELBOT_GITHUB_APP_ID: String(appId),
    KERNELBOT_GITHUB_APP_KEY: join(folder, "app.pem"),
    KERNELBOT_GITHUB_APP_WEBHOOK_SECRET: webhookSecret,
    KERNELBOT_GITHUB_APP_REPOSITORIES: REPOSITORY,
    KERNELBOT_GITHUB_APP_SUITE: "tiny",
    KERNELBOT_GITHUB_APP_TARGET: "cpu",
    KERNELBOT_GITHUB_APP_COMPILED_BASELINE: "no",
    KERNELBOT_GITHUB_APP_API_URL: apiUrl,
  };
  const lines: string[] = [];
  using _busy = makeBusy();
  const problems = join(import.meta.dirname, "problems");
  const options = { port, problems, localRunner: "cpu", readyMs: LONG_MS, env };
  await using server = await startServer({ ...options, onLine: (line) => lines.push(line) });
  const { url, token, dataDir } = server;
  const client = createClient({ server: url, token });
  const ended = async (id: number) => {
    for await (const _ of client.events(id));
    const [run] = (await client.submission(id)).runs;
    return run;
  };
  const submit = async (mode: "test" | "ranked", number: number) => {
    const request = { board: "double", targets: ["cpu"], mode, fileName: "kernel.py", source: source(number) };
    return (await client.submit(request)).id;
  };
  const page = async (path: string): Promise<number> =>
    (await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } })).status;
  const command = async (...args: string[]): Promise<string> => {
    const run = promisify(execFile)(process.execPath, [SERVER, ...args, "--data", dataDir], { env: environment() });
    const { stdout, stderr } = await run;
    lines.push(...stdout.split("\n"), ...stderr.split("\n"));
    return stdout;
  };

  const [tested, ranked] = [await submit("test", 1), await submit("ranked", 2)];
  expect(await ended(tested)).toMatchObject({ verdict: "passed", failureClass: null, attempt: 1 });
  const timed = await ended(ranked);
  expect(timed).toMatchObject({ verdict: "passed", failureClass: null });
  // A noisy run is timed again; no attempt was lost.
  for await (const { event } of client.events(ranked)) {
    if (event.type === "run_queued") expect(event.reason ?? "the machine was busy").toContain("the machine was busy");
  }
  expect(await page(`/compare/${tested}/${ranked}?target=cpu`)).toBe(200);
  expect(await page("/boards/double/cpu")).toBe(200);

  const run = (await ended(ranked))?.id ?? 0;
  await client.moderation.flag(run, "reads the clock");
  expect(await page("/moderation")).toBe(200);
  expect(await page(`/moderation/runs/${run}`)).toBe(200);
  await client.moderation.reject(run, "reads the clock");
  expect((await client.board("double", "cpu")).rows).toEqual([]);

  await client.kernelbench.putSuite(
    suiteUpload({ targets: ["cpu"], problems: [suiteSource({ level: 1, problem: 1 })] }),
  );
  const kernels = { level_1_problem_1_sample_0: RELU };
  const entry = await client.kernelbench.createEntry(entryRequest({ kernels }));
  const pull = github.open({ "submissions/model.json": JSON.stringify(entryRequest({ kernels }).file) });
  const { headers, body: sent } = pull.label("mia");
  const delivered = await fetch(`${url}/api/v1/kernelbench/github`, { method: "POST", headers, body: sent });
  expect(delivered.status).toBeLessThan(300);
  for await (const _ of client.kernelbench.progress(entry.id));
  expect(await client.kernelbench.entry(entry.id)).toMatchObject({ results: [{ correct: true }] });
  const status = () => github.statuses.map(({ state, description }) => `${state}: ${description}`).at(-1);
  await expect.poll(status, { timeout: LONG_MS }).toBe("success: Correct: 1/1");
  expect(pull.comments.map(({ body }) => body)).toEqual([expect.stringMatching(/Correct \| 1\/1/)]);

  expect(await command("backup", "--to", join(folder, "backup"))).toContain("backed up");
  expect(await command("adopt", "--from", existing)).toContain("38  submissions with 38 runs");
  await stop(server.process, "SIGTERM");
  expect(server.process.exitCode).toBe(0);
  expect(lines.filter((line) => BLAME.test(line))).toEqual([]);
});
