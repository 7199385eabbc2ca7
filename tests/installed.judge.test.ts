/** The published packages, installed in an empty folder from what `npm run build` makes of them. */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { mintToken, startRunner, startServer, stop, type Program } from "../scripts/processes.ts";
import { build } from "../scripts/release/build.ts";
import { pack } from "../scripts/release/downloads.ts";
import { fetchNode } from "../scripts/release/executable.ts";

const run = promisify(execFile);
const ROOT = resolve(import.meta.dirname, "..");

const KERNEL = `import torch

def custom_kernel(data):
    x, out = data
    return torch.add(x, x, out=out)
`;

let libraries: readonly string[];
let programs: readonly string[];
/** What is built. */
let output: string;
/** An empty folder into which the packages are installed. */
let folder: string;

beforeAll(async () => {
  output = await mkdtemp(join(tmpdir(), "kernelbot-build-"));
  ({ libraries, programs } = await build({ output, platforms: ["linux-x64"] }));
  folder = await mkdtemp(join(tmpdir(), "kernelbot-installed-"));
  for (const each of programs) await pack(each, folder);
  const files = (await readdir(folder)).map((name) => join(folder, name));
  await npm("install", "--prefix", folder, ...files);
});
afterAll(async () => {
  for (const each of [output, folder]) await rm(each, { recursive: true, force: true });
});

function npm(...args: string[]) {
  return run("npm", [...args, "--no-audit", "--no-fund"], { cwd: folder });
}

const program = (name: string): string => join(folder, "node_modules", name, "dist", `${name}.js`);

test("publint and attw accept the packages", async () => {
  for (const each of [...libraries, ...programs]) {
    const { stdout } = await run("npx", ["publint", each], { cwd: ROOT });
    expect(stdout).toContain("All good!");
  }
  for (const each of libraries) await run("npx", ["attw", "--pack", each, "--profile", "esm-only"], { cwd: ROOT });
});

test("a program type-checks against the installed libraries and calls a server with them", async () => {
  const packed = await mkdtemp(join(tmpdir(), "kernelbot-libraries-"));
  for (const each of libraries) await pack(each, packed);
  const files = (await readdir(packed)).map((name) => join(packed, name));
  await npm("install", "--prefix", packed, ...files);
  await writeFile(
    join(packed, "use.mts"),
    `import { createClient } from "@kernelbot/api";
import { openDataset } from "@kernelbot/dataset";
const problems: { name: string }[] = await createClient({ server: process.argv[2] ?? "" }).problems();
console.log(problems.map(({ name }) => name).join(), typeof openDataset);
`,
  );
  const options = ["--module", "nodenext", "--strict", "--target", "es2024", "--types", "node"];
  const types = ["--typeRoots", join(ROOT, "node_modules/@types")];
  const compiler = join(ROOT, "node_modules/ts7/bin/tsc");
  await run(process.execPath, [compiler, ...options, ...types, "use.mts"], { cwd: packed });
  await using server = await startServer({ problems: join(import.meta.dirname, "problems") });
  const { stdout } = await run(process.execPath, [join(packed, "use.mjs"), server.url]);
  expect(stdout).toBe("double function\n");
  await rm(packed, { recursive: true });
});

test.each(["20.20.2", "22.23.3", process.versions.node])(
  "Node.js %s: installed server, runner and command line judge a ranked kernel",
  async (version) => {
    const node = await fetchNode("linux-x64", version);
    const with_ = (name: string): Program => [node, program(name)];
    await using server = await startServer({
      program: with_("kernelbot-server"),
      problems: join(import.meta.dirname, "problems"),
    });
    const token = mintToken(server.dataDir, { label: "runner", scopes: "runner", targets: "cpu" });
    const runner = await startRunner({ program: with_("kernelbot-runner"), server: server.url, token, target: "cpu" });
    try {
      const home = await mkdtemp(join(folder, "home-"));
      const env = { HOME: home, PATH: "/usr/bin:/bin", KERNELBOT_SERVER: server.url, KERNELBOT_TOKEN: server.token };
      const kernel = join(home, "kernel.py");
      await writeFile(kernel, KERNEL);
      const args = ["submit", kernel, "--board", "double", "--target", "cpu", "--mode", "ranked", "--json"];
      const { stdout } = await run(node, [program("kernelbot"), ...args], { env });
      expect(stdout).toContain('"verdict": "passed"');
    } finally {
      await stop(runner, "SIGTERM");
    }
    // The site has its scripts and styles, and the documentation.
    const page = await (await fetch(`${server.url}/docs`)).text();
    const assets = [...page.matchAll(/\/assets\/[^"]+/g)].map(([path]) => path);
    expect(assets.length).toBeGreaterThan(2);
    for (const path of assets) expect((await fetch(`${server.url}${path}`)).status).toBe(200);
  },
);

test("curl | sh installs the executable from the server, which needs no Node.js", async () => {
  await using server = await startServer({
    program: [process.execPath, program("kernelbot-server")],
    problems: join(import.meta.dirname, "problems"),
  });
  const home = await mkdtemp(join(folder, "home-"));
  const bin = join(home, "bin");
  await mkdir(bin);
  const env = { HOME: home, PATH: "/usr/bin:/bin", KERNELBOT_TOKEN: server.token };
  await run("sh", ["-c", `curl -fsSL ${server.url}/install.sh | sh`], { env });
  const { stdout } = await run(join(home, ".local/bin/kernelbot"), ["problems"], { env });
  expect(stdout).toContain("double");
});

test("no file contains a path of this machine", async () => {
  for (const each of [...libraries, ...programs]) {
    const entries = await readdir(each, { recursive: true, withFileTypes: true });
    for (const entry of entries.filter((one) => one.isFile())) {
      const path = join(entry.parentPath, entry.name);
      expect((await readFile(path)).includes(ROOT), path).toBe(false);
    }
  }
});
