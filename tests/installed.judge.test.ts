/** The artifacts of a release as `npm run release:dry` makes them, installed in an empty folder. */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { findPython } from "@kernelbot/tester";
import { isNightly, sample } from "@kernelbot/testing/sample.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import manifest from "../package.json" with { type: "json" };
import { mintToken, startRunner, startServer, stop, temporaryDataDir, type Program } from "../scripts/processes.ts";
import { BILL_OF_MATERIALS } from "../scripts/release/artifacts.ts";
import { fetchNode } from "../scripts/release/executable.ts";

const run = promisify(execFile);

/** Timeout of a build in ms. */
const BUILD_MS = 600_000;
const ROOT = resolve(import.meta.dirname, "..");
const LIBRARIES = ["kernelbot-core", "kernelbot-api", "kernelbot-dataset"];
const PROGRAMS = ["kernelbot", "kernelbot-runner", "kernelbot-server"];
const CLIENT_WHEEL = `kernelbot-${manifest.version}-py3-none-any.whl`;
const SERVER_ARCHIVE = `kernelbot-server-${manifest.version}-linux-x64.tar.gz`;
const WHEEL = `kernelbot_runner-${manifest.version}-py3-none-manylinux_2_28_x86_64.whl`;

const KERNEL = `import torch

def custom_kernel(data):
    x, out = data
    return torch.add(x, x, out=out)
`;

/** What is built. */
let output: string;
/** An empty folder into which the packages are installed. */
let folder: string;

beforeAll(async () => {
  output = await mkdtemp(join(tmpdir(), "kernelbot-build-"));
  await buildRelease(output);
  folder = await mkdtemp(join(tmpdir(), "kernelbot-installed-"));
  await npm("install", "--prefix", folder, ...PROGRAMS.map(tarball));
}, BUILD_MS);
afterAll(async () => {
  for (const each of [output, folder]) await rm(each, { recursive: true, force: true });
});

/** Runs `npm run release:dry` with the executable of one platform. */
async function buildRelease(to: string, { env = process.env, cwd = ROOT, umask = "022" } = {}): Promise<void> {
  const main = [join(ROOT, "scripts/release/main.ts"), "--artifacts", "--platform", "linux-x64", "--output", to];
  await run("sh", ["-c", `umask ${umask} && exec "$@"`, "sh", process.execPath, ...main], { cwd, env });
}

const packageFolder = (name: string): string => join(output, "packages", name);
const tarball = (name: string): string => join(output, "artifacts", `${name}-${manifest.version}.tgz`);

function npm(...args: string[]) {
  return run("npm", [...args, "--no-audit", "--no-fund"], { cwd: folder });
}

const program = (name: string): string => join(folder, "node_modules", name, "dist", `${name}.js`);

test("publint and attw accept the packages", async () => {
  const bin = join(ROOT, "node_modules/.bin");
  for (const each of [...LIBRARIES, ...PROGRAMS].map(packageFolder)) {
    const { stdout } = await run(join(bin, "publint"), [each]);
    expect(stdout).toContain("All good!");
  }
  for (const each of LIBRARIES.map(tarball)) await run(join(bin, "attw"), [each, "--profile", "esm-only"]);
});

test("a program type-checks against the installed libraries and calls a server with them", async () => {
  const packed = await mkdtemp(join(tmpdir(), "kernelbot-libraries-"));
  await npm("install", "--prefix", packed, ...LIBRARIES.map(tarball));
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

test.each(sample(["20.20.2", "22.23.3", process.versions.node], { share: 0.3 }))(
  "Node.js %s: installed server, runner and command line time a kernel",
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
      const args = ["submit", kernel, "--board", "double", "--target", "cpu", "--mode", "benchmark", "--json"];
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

test("the installed server, whose package has the wheel without the executable, offers the wheel of the release", async () => {
  await using server = await startServer({
    program: [process.execPath, program("kernelbot-server")],
    problems: join(import.meta.dirname, "problems"),
  });
  const downloads = join(packageFolder("kernelbot-server"), "files/dist/downloads");
  expect((await readdir(downloads)).filter((name) => name.endsWith(".whl"))).toEqual([CLIENT_WHEEL]);
  const response = await fetch(`${server.url}/downloads/${WHEEL}`);
  const wheel = await readFile(join(output, "artifacts", WHEEL));
  expect(Buffer.from(await response.arrayBuffer()).equals(wheel)).toBe(true);

  const client = await mkdtemp(join(folder, "client-"));
  const { path: python } = await findPython();
  const offered = `${server.url}/downloads/${CLIENT_WHEEL}`;
  await run(python, ["-m", "pip", "install", "--no-index", "--no-cache-dir", "--target", client, offered]);
  const listing = "import kernelbot; print(kernelbot.__version__, kernelbot.Client().problems()[0].name)";
  const env = { PYTHONPATH: client, KERNELBOT_SERVER: server.url, KERNELBOT_TOKEN: server.token };
  expect((await run(python, ["-c", listing], { env })).stdout).toBe(`${manifest.version} double\n`);
});

test("in a network without interfaces, the archive is a server from which the command line installs and a kernel is judged", async () => {
  // The database's user must be able to enter the folder.
  const place = temporaryDataDir();
  await writeFile(join(place, "kernel.py"), KERNEL);
  const script = `
    set -eu
    cd ${place}
    tar -xzf ${join(output, "artifacts", SERVER_ARCHIVE)}
    server=$(echo ${place}/kernelbot-server-*/bin/kernelbot-server)
    $server serve --data ${place}/data --problems ${join(import.meta.dirname, "problems")} --local-runner cpu >log 2>&1 &
    trap 'kill $!; wait $! || true' EXIT
    until curl -fs http://127.0.0.1:8080/readyz >/dev/null; do kill -0 $! || { cat log; exit 1; }; sleep 1; done
    export KERNELBOT_TOKEN=$($server token --data ${place}/data --label test --scopes submit,read)
    curl -fsSL http://127.0.0.1:8080/install.sh | sh
    home/.local/bin/kernelbot submit kernel.py --board double --target cpu --mode ranked
    home/.local/bin/kernelbot board double --target cpu
    curl -fs http://127.0.0.1:8080/ http://127.0.0.1:8080/docs >pages.html
    if curl -s --max-time 5 http://192.0.2.1; then exit 9; fi`;
  try {
    const env = { HOME: join(place, "home"), PATH: "/usr/bin:/bin" };
    const { stdout } = await run("bwrap", ["--dev-bind", "/", "/", "--unshare-net", "--", "sh", "-c", script], { env });
    expect(stdout).toMatch(/^cpu  passed/m);
    expect(stdout).toMatch(/1  operator/);
    const pages = await readFile(join(place, "pages.html"), "utf8");
    const loaded = [...pages.matchAll(/<(?:link|script|img|source)\b[^>]*\b(?:href|src)="([^"]*)"/g)].map(
      ([, url]) => url,
    );
    expect(loaded.length).toBeGreaterThan(3);
    expect(loaded.filter((url) => /^(https?:)?\/\//.test(url ?? ""))).toEqual([]);
  } finally {
    await rm(place, { recursive: true, force: true });
  }
});

test("npm i -g kernelbot installs one package, of at most 5 MB", async () => {
  const prefix = await mkdtemp(join(folder, "prefix-"));
  await npm("install", "--global", "--prefix", prefix, tarball("kernelbot"));
  const { stdout } = await run(join(prefix, "bin/kernelbot"), ["--version"]);
  expect(stdout).toContain(manifest.version);
  expect(await readdir(join(prefix, "lib/node_modules"))).toEqual(["kernelbot"]);
  expect(await readdir(join(prefix, "lib/node_modules/kernelbot"))).not.toContain("node_modules");
  const sizes = await Promise.all((await listFiles(prefix)).map(async (path) => (await stat(path)).size));
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(5e6);
});

test("a release contains every package, the executables, the bill of materials and their checksums", async () => {
  const packages = [...LIBRARIES, ...PROGRAMS].map((name) => `${name}-${manifest.version}.tgz`);
  const expected = [...packages, "kernelbot-linux-x64.gz", SERVER_ARCHIVE, WHEEL, BILL_OF_MATERIALS, "SHA256SUMS"];
  const artifacts = join(output, "artifacts");
  expect(await readdir(artifacts)).toEqual(expect.arrayContaining(expected));
  await run("sha256sum", ["--check", "--strict", "SHA256SUMS"], { cwd: artifacts });
  const sums = await readFile(join(artifacts, "SHA256SUMS"), "utf8");
  expect(sums.trim().split("\n")).toHaveLength((await readdir(artifacts)).length - 1);
  const bom = await readFile(join(artifacts, BILL_OF_MATERIALS), "utf8");
  expect(bom).toContain('"pkg:npm/zod@');
  expect(bom).not.toContain('"pkg:npm/vitest@');
});

test.runIf(isNightly())(
  "two builds give the same bytes",
  async () => {
    const other = join(await mkdtemp(join(tmpdir(), "kernelbot-build-again-")), "a longer path");
    const env = {
      ...{ PATH: process.env.PATH, HOME: other, TMPDIR: await mkdtemp(join(tmpdir(), "kernelbot-tmp-")) },
      ...{ TZ: "Asia/Kathmandu", LC_ALL: "C", USER: "other", NPM_TOKEN: "npm_secret" },
    };
    await buildRelease(other, { env, cwd: tmpdir(), umask: "077" });
    const [one, two] = await Promise.all(
      [output, other].map((each) => readFile(join(each, "artifacts/SHA256SUMS"), "utf8")),
    );
    expect(two).toBe(one);
    await rm(join(other, ".."), { recursive: true });
  },
  BUILD_MS,
);

/** What must not be published: paths of this build, and secrets of those who build. */
const SECRETS = [
  ...[ROOT, homedir()].map((path) => new RegExp(`${path}/`)),
  /-----BEGIN [A-Z ]*PRIVATE KEY-----\n/,
  /\b(npm_|ghp_|github_pat_)\w{30,}|\bkb_[\w-]{40,}/,
];

test("no artifact contains a path of this machine or a secret", async () => {
  for (const path of (await Promise.all([...LIBRARIES, ...PROGRAMS].map(packageFolder).map(listFiles))).flat()) {
    const text = await readFile(path, "latin1");
    for (const secret of [output, ...SECRETS]) expect(text.search(secret), `${String(secret)} in ${path}`).toBe(-1);
  }
});

async function listFiles(within: string): Promise<string[]> {
  const entries = await readdir(within, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}
