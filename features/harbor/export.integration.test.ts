/** Exported Harbor tasks: their files, and their verifier against a real server whose runs the test reports. */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parse } from "smol-toml";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { JudgeEvent } from "@kernelbot/core";
import { workshop } from "@kernelbot/testing/cli/kernelbot.ts";
import { claimed, failing, passing, reported, runner } from "@kernelbot/testing/fixtures.ts";
import { openTestServer, type TestServer } from "@kernelbot/testing/server-with-problems.ts";

let server: TestServer;
let box: Awaited<ReturnType<typeof runner>>;
let token: string;
const place = workshop();
const task = join(place.folder, "tasks", "double-cpu");

beforeAll(async () => {
  server = await openTestServer({ listening: true });
  box = await runner(server.database);
  token = await server.token("trainer");
  const sets = join(place.folder, "problems");
  write(sets, { "set/double/solutions/correct.py": "slow = 1\n", "set/double/solutions/fast_one.py": "fast = 1\n" });
  const { code, out, err } = await exportHarbor("double", "triple", "--out", "tasks", "--problems", sets);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out).toBe(
    ["double", "triple"]
      .map((name) => `tasks/${name}-cpu  sha256:${digestOf(join(task, `../${name}-cpu`))}\n`)
      .join(""),
  );
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  place[Symbol.dispose]();
});

function write(root: string, files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

function exportHarbor(...args: string[]) {
  const call = { server: server.url, env: { KERNELBOT_TOKEN: "" } };
  return place.kernelbot(["export", "harbor", ...args], call);
}

/** Recomputes the digest from the files on disk. */
function digestOf(folder: string): string {
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) =>
    statSync(join(folder, path)).isFile(),
  );
  const sha256 = (data: string | Buffer) => createHash("sha256").update(data).digest("hex");
  return sha256(
    paths
      .toSorted()
      .map((path) => `${path}\0${sha256(readFileSync(join(folder, path)))}\n`)
      .join(""),
  );
}

test("task.toml declares the submission above the tables, and a separate verifier that only reaches the server", () => {
  const text = readFileSync(join(task, "task.toml"), "utf8");
  expect(text.indexOf("artifacts")).toBeLessThan(text.indexOf("["));
  const parsed = parse(text) as Record<string, Record<string, unknown>>;
  expect(Object.keys(parsed)).toEqual(["schema_version", "artifacts", "task", "agent", "environment", "verifier"]);
  expect(parsed).toMatchObject({
    artifacts: ["/app/submission.py"],
    task: { name: "kernelbot/double-cpu", description: "Doubles a vector." },
    verifier: {
      ...{ environment_mode: "separate", network_mode: "allowlist", allowed_hosts: ["127.0.0.1"] },
      env: { KERNELBOT_SERVER: server.url, KERNELBOT_TOKEN: "${KERNELBOT_TOKEN}", KERNELBOT_PROBLEM: "double" },
    },
  });
  // The agent's container has no token and no verifier.
  expect(JSON.stringify([parsed.agent, parsed.environment])).not.toContain("TOKEN");
});

test("the instruction says what to write where, and the oracle's solution is the fast one", () => {
  const text = readFileSync(join(task, "instruction.md"), "utf8");
  expect(text).toContain("Doubles a vector.");
  expect(text).toContain("Write the kernel to `/app/submission.py`");
  expect(readFileSync(join(task, "solution/submission.py"), "utf8")).toBe("fast = 1\n");
  expect(readFileSync(join(task, "environment/problem/double/reference.py"), "utf8")).toContain("ref_kernel");
  expect(existsSync(join(task, "../triple-cpu/solution"))).toBe(false);
});

interface Verified {
  code: number;
  out: string;
  reward: unknown;
}

let trees = 0;

/** Runs the verifier in a bare directory tree that stands for its container. */
function verify(files: Record<string, string>, env: Record<string, string> = {}, link?: string): Promise<Verified> {
  trees += 1;
  const root = join(place.folder, `tree-${trees}`);
  write(root, { "app/.keep": "", ...files });
  if (link !== undefined) symlinkSync(link, join(root, "app/submission.py"));
  const script = join(root, "tests/test.sh");
  const text = readFileSync(join(task, "tests/test.sh"), "utf8").replaceAll(/=\/(app|logs)\//g, `=${root}/$1/`);
  write(root, { "tests/test.sh": text });
  const { verifier } = parse(readFileSync(join(task, "task.toml"), "utf8")) as {
    verifier: { env: Record<string, string> };
  };
  const variables = { PATH: process.env.PATH ?? "", ...verifier.env, KERNELBOT_TOKEN: token, ...env };
  const reward = join(root, "logs/verifier/reward.json");
  return new Promise((resolve) => {
    execFile("bash", [script], { env: variables, cwd: root }, (error, stdout, stderr) => {
      const code = error === null ? 0 : Number(error.code);
      const read = existsSync(reward) ? (JSON.parse(readFileSync(reward, "utf8")) as unknown) : null;
      resolve({ code, out: stdout + stderr, reward: read });
    });
  });
}

/** Claims the next run, once there is one, and reports these events. */
async function judge(events: (mode: "ranked") => JudgeEvent[]): Promise<void> {
  const queued = () => server.database.db.selectFrom("run").select("id").where("state", "=", "queued").execute();
  await expect.poll(queued).not.toEqual([]);
  const run = await claimed(server.database, box, "cpu");
  await reported(server.database, box, run, events(run.mode as "ranked"));
}

const PLANTED = { "logs/verifier/reward.json": '{"reward": 1}', "logs/verifier/reward.txt": "1" };

test("the verifier writes the reward that the server gives, whatever was planted before", async () => {
  const verified = verify({ "app/submission.py": "x = 1\n", ...PLANTED });
  await judge((mode) => passing(mode, [250, 250]));
  const { code, out, reward } = await verified;
  expect(reward).toMatchObject({ reward: expect.any(Number) as number, correct: 1, total: 3 });
  expect((reward as { speedup_low: number }).speedup_low).toBeGreaterThan(2);
  expect(code, out).toBe(0);
  expect(out).toMatch(/evaluation \d+: done passed/);
});

test("a wrong kernel gets the rule's reward for it", async () => {
  const verified = verify({ "app/submission.py": "x = 2\n", ...PLANTED });
  await judge(() => failing("compile_error", "invalid syntax"));
  expect(await verified).toMatchObject({ code: 0, reward: { reward: 0, correct: 0, passed: 0 } });
});

test("a platform failure is exit 4 without a reward, and the next run of the verifier is judged anew", async () => {
  const files = { "app/submission.py": "x = 3\n", ...PLANTED };
  const verified = verify(files);
  for (let attempt = 0; attempt < 3; attempt += 1) {
    await judge(() => [
      { type: "verdict", verdict: "infra_error", failureClass: null, message: "host is broken", detail: null },
    ]);
  }
  expect(await verified).toMatchObject({ code: 4, reward: null });
  const again = verify(files);
  await judge((mode) => passing(mode));
  expect(await again).toMatchObject({ code: 0, reward: { correct: 1 } });
});

test("a server that refuses the token or the request is exit 3 without a reward", async () => {
  const files = { "app/submission.py": "x = 4\n", ...PLANTED };
  expect(await verify(files, { KERNELBOT_TOKEN: "kb_wrong" })).toMatchObject({ code: 3, reward: null });
  const refused = await verify(files, { KERNELBOT_TARGET: "MI300" });
  expect(refused).toMatchObject({ code: 3, reward: null });
  expect(refused.out).toContain("has no target");
});

test("no submission, an empty one and a link are a reward of 0 without a request", async () => {
  const zero = { code: 0, reward: { reward: 0, correct: 0 } };
  expect(await verify(PLANTED)).toMatchObject(zero);
  expect(await verify({ "app/submission.py": " \n" })).toMatchObject(zero);
  expect(await verify({}, {}, "/proc/self/environ")).toMatchObject(zero);
});

test("invalid options are refused before anything is written", async () => {
  for (const [args, message] of [
    [["double"], "--out DIR is required"],
    [["double", "--out", "other", "--rule", "more@1"], 'unknown reward rule "more@1"'],
    [["double", "--out", "other", "--target", "MI300"], "double has no target MI300; it has cpu, H100"],
    [["double", "--out", "other", "--language", "cpp"], "double takes .py files on cpu"],
    [["nothing", "--out", "other"], "not found"],
    [["double", "--out", "tasks"], "use --force to overwrite"],
    [["double", "--out", "other", "--problems", "nowhere"], 'directory "nowhere" not found'],
  ] as const) {
    const { code, err } = await exportHarbor(...args);
    expect(code).not.toBe(0);
    expect(err).toContain(message);
  }
  expect(existsSync(join(place.folder, "other"))).toBe(false);
});
