/** The wheel of the runner, on a machine that has Python with PyTorch and no Node.js. */
import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { findPython } from "@kernelbot/tester";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CLI, mintToken, startRunner, startServer, stop } from "../scripts/processes.ts";
import { buildApplication } from "../scripts/release/application.ts";
import { RUNNER } from "../scripts/release/applications.ts";
import { writeExecutable } from "../scripts/release/executable.ts";
import { writeWheel } from "../scripts/release/wheel.ts";

const run = promisify(execFile);

/** Timeout of a build in ms. */
const BUILD_MS = 600_000;

const KERNEL = `import torch

def custom_kernel(data):
    x, out = data
    return torch.add(x, x, out=out)
`;

/** Programs that the runner needs: the sandbox, and the compiler of the tester's C library. */
const PROGRAMS = ["bwrap", "cc", "as", "ld", "true"];

/** Compares the files of a wheel with its RECORD; prints their number. */
const VERIFY = `
import base64, csv, hashlib, io, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as wheel:
    names = wheel.namelist()
    record = next(name for name in names if name.endswith("/RECORD"))
    rows = list(csv.reader(io.StringIO(wheel.read(record).decode())))
    assert [row[0] for row in rows] == names, (rows, names)
    for name, digest, size in rows[:-1]:
        data = wheel.read(name)
        assert digest == "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("="), name
        assert int(size) == len(data), name
    print(len(names))
`;

let folder: string;
let python: string;
let wheel: string;
/** Script that starts the installed runner with a PATH that has no Node.js. */
let start: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "kernelbot-wheel-"));
  // As root, the sandbox is started by another user, who has to find Bubblewrap in it.
  await chmod(folder, 0o755);
  python = (await findPython()).path;
  const executable = join(folder, "executable");
  await writeExecutable([await buildApplication(RUNNER, folder)], "linux-x64", executable);
  await run("gzip", ["--no-name", executable]);
  const [first, second] = await Promise.all(
    ["first", "second"].map(async (name) => {
      const destination = join(folder, name);
      await mkdir(destination);
      await writeWheel(`${executable}.gz`, "linux-x64", destination);
      const [file = ""] = await readdir(destination);
      return join(destination, file);
    }),
  );
  if (first === undefined || second === undefined) throw new Error("no wheel was written");
  expect((await readFile(first)).equals(await readFile(second))).toBe(true);
  wheel = first;
  start = await install();
}, BUILD_MS);
afterAll(() => rm(folder, { recursive: true, force: true }));

async function install(): Promise<string> {
  const venv = join(folder, "venv");
  await run(python, ["-m", "venv", "--system-site-packages", venv]);
  await run(join(venv, "bin/python3"), ["-m", "pip", "install", "--no-index", "--disable-pip-version-check", wheel]);
  const bin = join(folder, "bin");
  await mkdir(bin);
  for (const name of PROGRAMS) await symlink((await run("which", [name])).stdout.trim(), join(bin, name));
  const script = join(folder, "start.sh");
  await writeFile(script, `unset KERNELBOT_PYTHON\nPATH=${bin} exec ${venv}/bin/kernelbot-runner "$@"\n`);
  return script;
}

test("the record of the wheel has the checksum of each file", async () => {
  const { stdout } = await run(python, ["-c", VERIFY, wheel]);
  expect(stdout).toBe("8\n");
});

test("doctor checks the interpreter that the wheel was installed into", async () => {
  const { stdout } = await run("sh", [start, "doctor", "--target", "cpu", "--json"]);
  expect(JSON.parse(stdout)).toMatchObject({
    ok: true,
    checks: expect.arrayContaining([
      { name: "Python", ok: true, detail: join(folder, "venv/bin/python3"), fix: null },
    ]) as unknown[],
  });
});

test("the installed runner times a kernel without Node.js", async () => {
  await using server = await startServer({ problems: join(import.meta.dirname, "problems") });
  const token = mintToken(server.dataDir, { label: "runner", scopes: "runner", targets: "cpu" });
  const runner = await startRunner({ program: ["/bin/sh", start], server: server.url, token, target: "cpu" });
  try {
    const kernel = join(folder, "kernel.py");
    await writeFile(kernel, KERNEL);
    const args = ["submit", kernel, "--board", "double", "--target", "cpu", "--mode", "benchmark", "--json"];
    const env = { ...process.env, KERNELBOT_SERVER: server.url, KERNELBOT_TOKEN: server.token };
    const { stdout } = await run(process.execPath, [CLI, ...args], { env });
    expect(stdout).toContain('"verdict": "passed"');
  } finally {
    await stop(runner, "SIGTERM");
  }
});
