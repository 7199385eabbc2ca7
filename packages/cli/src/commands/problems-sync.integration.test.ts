/** Problem syncs from a folder and from a repository, with the command, a real server and a real git. */
import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { SyncReport } from "@kernelbot/core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestServer, type TestServer } from "@kernelbot/testing/server-with-problems.ts";
import { workshop } from "@kernelbot/testing/cli/kernelbot.ts";

const TASK = `description: Adds.
tests: [{ size: 1, seed: 1 }]
benchmarks: [{ size: 8, seed: 2 }]
gpus: [cpu]
files: [{ name: utils.py, source: ../../shared.py }]
tolerance: { rtol: 0, atol: 0, reason: whole numbers }
`;

let testServer: TestServer;
let token: string;
const place = workshop();

beforeAll(async () => {
  testServer = await openTestServer({ listening: true });
  token = await testServer.token("root", ["admin", "read"]);
});
afterAll(async () => {
  await testServer[Symbol.asyncDispose]();
  place[Symbol.dispose]();
});

function write(root: string, files: Record<string, string | Uint8Array>): string {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(place.folder, root, path)), { recursive: true });
    writeFileSync(join(place.folder, root, path), text);
  }
  return join(place.folder, root);
}

function sync(...args: string[]) {
  return place.kernelbot(["problems", "sync", ...args], { server: testServer.url, env: { KERNELBOT_TOKEN: token } });
}

test("a folder: a dry run shows the changes, a sync makes them, and invalid problems do not affect others", async () => {
  const root = write("mine", {
    "problems/shared.py": "x = 1\n",
    "problems/math/add/task.yml": TASK,
    "problems/math/add/reference.py": "def ref_kernel(data): ...\n",
    "problems/math/add/solutions/wrong.py": "pass\n",
    "problems/math/.git/task.yml": "no\n",
    "problems/math/raw/task.yml": TASK,
    "problems/math/raw/reference.py": Uint8Array.of(0xff),
  });
  symlinkSync("/etc/passwd", join(root, "problems/math/add/secrets.txt"));
  const report = `From folder mine: 2 problems, 1 new, 1 rejected.
+ add  on cpu
! raw
    problem "raw": "reference.py": the file is not UTF-8 text or has more than 1000000 bytes
`;
  const planned = await sync("--from", root, "--dry-run");
  expect(planned).toMatchObject({
    code: 2,
    out: `${report}\nDry run: nothing was changed.\n`,
  });
  expect(await sync("--from", root)).toMatchObject({ code: 2, out: report });
  const { files } = await testServer.client(token).problem("add");
  expect(Object.keys(files)).toEqual(["reference.py", "task.yml", "utils.py"]);
  write("mine", { "problems/math/raw/reference.py": "def ref_kernel(data): ...\n", "problems/shared.py": "x = 2\n" });
  expect(await sync("--from", root)).toMatchObject({
    code: 0,
    out: "From folder mine: 2 problems, 1 new, 1 changed.\n~ add\n    files: utils.py changed\n    board on cpu: starts as revision 2\n+ raw  on cpu\n",
  });
});

test("values that a problem with a harness of its own reads as YAML 1.1 are listed with their lines", async () => {
  const files = `config: { main: eval.py }
files: [{ name: submission.py, source: "@SUBMISSION@" }, { name: eval.py, source: eval.py }]
description: Adds.
tests: [{ bias: no }]
benchmarks: [{ size: 8 }]
gpus: [cpu]
tolerance: { rtol: 1e-5, atol: 0, reason: sums }
`;
  const root = write("harness", { "math/own/task.yml": files, "math/own/eval.py": "print(1)\n" });
  expect(await sync("--from", root)).toMatchObject({
    code: 0,
    out: `From folder harness: 1 problem, 1 new.
+ own  on cpu
    read as YAML 1.1: bias: no is false in YAML 1.1 and "no" in YAML 1.2: write false or "no" (line 4)
`,
  });
});

test("a repository: a tag, then the newest commit; missing problems are reported", async () => {
  const root = write("repository", {
    "shared.py": "x = 1\n",
    "sums/sum-all/task.yml": TASK,
    "sums/sum-all/reference.py": "def ref_kernel(data): ...\n",
    "sums/sum-some/task.yml": TASK,
    "sums/sum-some/reference.py": "def ref_kernel(data): ...\n",
  });
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", root, "-c", "user.name=a", "-c", "user.email=a@b", ...args], {
      encoding: "utf8",
    }).trim();
  git("init", "--quiet");
  git("add", ".");
  git("commit", "--quiet", "--message", "one");
  git("tag", "v1");
  git("rm", "--quiet", "-r", "sums/sum-some");
  write("repository", { "sums/sum-all/task.yml": TASK.replace("size: 8", "size: 9") });
  git("commit", "--quiet", "--all", "--message", "two");
  const url = `file://${root}`;
  const syncReport = async (...args: string[]) =>
    SyncReport.parse(JSON.parse((await sync("--from", url, "--json", ...args)).out));
  expect(await syncReport("--ref", "v1")).toMatchObject({
    source: url,
    revision: git("rev-parse", "v1"),
    problems: [{ outcome: "new" }, { outcome: "new" }],
  });
  expect(await syncReport()).toMatchObject({
    revision: git("rev-parse", "HEAD"),
    problems: [
      {
        name: "sum-all",
        outcome: "changed",
        changes: [{ kind: "benchmarks", words: "size: 9; seed: 2 added; size: 8; seed: 2 removed" }],
      },
      { name: "sum-some", outcome: "gone" },
    ],
  });
  const commit = await syncReport("--ref", git("rev-parse", "v1"), "--set", "sums", "--dry-run");
  expect(commit.problems).toMatchObject([{ outcome: "changed" }, { outcome: "unchanged" }]);
});

test.each([
  [[], "--from DIR or --from URL is required"],
  [["--from", "nowhere"], 'directory "nowhere" not found'],
  [["--from", "."], '"." has no problem'],
  [["--from", ".", "--ref", "main"], "--ref requires a URL"],
  [["--from", "file:///nowhere", "--ref=--upload-pack=x"], "is not a valid branch, tag or commit"],
])("invalid arguments are rejected with the reason: %j", async (args, why) => {
  using empty = workshop();
  const call = { server: testServer.url, env: { KERNELBOT_TOKEN: token } };
  const { code, err } = await empty.kernelbot(["problems", "sync", ...args], call);
  expect(code).toBe(2);
  expect(err).toContain(why);
});

test("names of the server's own problems need --prefix or --replace, without a terminal to ask in", async () => {
  const root = write("twins", {
    "problems/shared.py": "x = 1\n",
    "problems/set/double/task.yml": TASK,
    "problems/set/double/reference.py": "def ref_kernel(data): ...\n",
  });
  const refused = await sync("--from", root);
  expect(refused.code).not.toBe(0);
  expect(refused.err).toMatch(/same names: double; nothing was changed\. .*--prefix TEXT.*--replace/);
  const invalid = await sync("--from", root, "--prefix", "Mine");
  expect(invalid.err).toMatch(/prefix: use lower-case letters/);
  expect(await sync("--from", root, "--prefix", "mine-")).toMatchObject({
    code: 0,
    out: "From folder twins: 1 problem, 1 new.\n+ mine-double  on cpu\n",
  });
  expect(await sync("--from", root, "--replace")).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^~ double$/m) as string,
  });
});

test("--closed shows new problems to members only, and rejects public ones", async () => {
  const root = write("hidden", {
    "problems/shared.py": "x = 1\n",
    "problems/secret/vault/task.yml": TASK,
    "problems/secret/vault/reference.py": "def ref_kernel(data): ...\n",
  });
  expect(await sync("--from", root, "--closed")).toMatchObject({ code: 0 });
  expect((await testServer.ask("/api/v1/problems/vault")).status).toBe(404);
  expect((await testServer.ask("/api/v1/problems/vault", token)).status).toBe(200);
  const add = await sync("--from", join(place.folder, "mine"), "--closed");
  expect(add.code).toBe(2);
  expect(add.out).toContain("add was requested as closed");
});
