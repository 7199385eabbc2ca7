import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { create } from "tar";
import { beforeEach, expect, test } from "vitest";
import { openTestServer, type TestServer } from "@kernelbot/testing/server-with-problems.ts";
import manifest from "../../package.json" with { type: "json" };

const run = promisify(execFile);

const EXECUTABLE = "kernelbot-linux-x64.gz";
const PACKAGE = `kernelbot-${manifest.version}.tgz`;

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "kernelbot-home-"));
});

/** Offers files of these contents. */
async function offer({ downloads }: TestServer, files: Record<string, Buffer>, sums: Record<string, Buffer> = files) {
  await mkdir(downloads, { recursive: true });
  for (const [name, bytes] of Object.entries(files)) await writeFile(join(downloads, name), bytes);
  const lines = Object.entries(sums).map(([name, bytes]) => {
    return `${createHash("sha256").update(bytes).digest("hex")}  ${name}\n`;
  });
  await writeFile(join(downloads, "SHA256SUMS"), lines.join(""));
}

/** A program that prints its arguments. */
const executable = (text: string): Buffer => gzipSync(`#!/bin/sh\necho ${text} "$@"\n`);

async function packed(): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), "kernelbot-package-"));
  await mkdir(join(folder, "package/dist"), { recursive: true });
  const program = "#!/usr/bin/env node\nconsole.log('built', ...process.argv.slice(2));\n";
  await writeFile(join(folder, "package/dist/kernelbot.js"), program);
  await create({ gzip: true, cwd: folder, file: join(folder, "x.tgz") }, ["package"]);
  return readFile(join(folder, "x.tgz"));
}

/** Programs that the script uses, in addition to `uname` and `ldd`. */
// prettier-ignore
const TOOLS = ["sh", "cat", "chmod", "curl", "cut", "dirname", "grep", "gzip", "ln", "mkdir", "mktemp", "mv", "rm", "sha256sum", "tar", "env"];

/** Runs the script of the server as `curl ... | sh` does, on a machine that `uname` names. */
async function install(
  { url }: TestServer,
  { uname = "Linux x86_64", node = process.versions.node, libc = "glibc" } = {},
) {
  const bin = await mkdtemp(join(tmpdir(), "kernelbot-bin-"));
  for (const tool of TOOLS) await symlink(`/usr/bin/${tool}`, join(bin, tool));
  const version = `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "${node}" } })`;
  const start = `#!/bin/sh\nexec ${process.execPath} --import 'data:text/javascript,${encodeURIComponent(version)}' "$@"\n`;
  if (node !== "") await writeFile(join(bin, "node"), start, { mode: 0o755 });
  const [system, machine] = uname.split(" ");
  const answer = `#!/bin/sh\nif [ "$1" = -m ]; then echo ${machine}; else echo ${system}; fi\n`;
  await writeFile(join(bin, "uname"), answer, { mode: 0o755 });
  await writeFile(join(bin, "ldd"), `#!/bin/sh\necho ${libc}\n`, { mode: 0o755 });
  const script = join(bin, "install.sh");
  await writeFile(script, await (await fetch(`${url}/install.sh`)).text());
  try {
    const { stdout, stderr } = await run("sh", [script], { env: { HOME: home, PATH: bin } });
    return { status: 0, stdout, stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { status: code, stdout, stderr };
  }
}

/** Starts the installed program. */
async function start(): Promise<string> {
  const { stdout } = await run(join(home, ".local/bin/kernelbot"), ["--version"]);
  return stdout.trim();
}

test("the script installs the executable of the platform, and a later run replaces it", async () => {
  await using server = await openTestServer({ listening: true });
  await offer(server, { [EXECUTABLE]: executable("first"), [PACKAGE]: await packed() });
  const first = await install(server, { node: "" });
  expect(first).toMatchObject({ status: 0, stderr: "" });
  expect(first.stdout).toContain(`Installed kernelbot ${manifest.version} as ${home}/.local/bin/kernelbot`);
  expect(first.stdout).toContain(`Add it to your PATH: export PATH="${home}/.local/bin:$PATH"`);
  expect(first.stdout).toContain("Next: kernelbot login\n");
  expect(await start()).toBe("first --version");
  const config = join(home, ".config/kernelbot/config.toml");
  expect(await readFile(config, "utf8")).toBe(`server = "${server.url}"\n`);
  expect((await stat(config)).mode & 0o777).toBe(0o600);

  await offer(server, { [EXECUTABLE]: executable("second") });
  expect((await install(server)).stdout).toContain("Next: kernelbot login\n");
  expect(await start()).toBe("second --version");
  expect(await readdir(join(home, ".local"))).toEqual(["bin"]);
});

test("a configuration for another server is kept, and the script says how to sign in to this one", async () => {
  await using server = await openTestServer({ listening: true });
  await offer(server, { [EXECUTABLE]: executable("program") });
  const config = join(home, ".config/kernelbot/config.toml");
  await mkdir(join(home, ".config/kernelbot"), { recursive: true });
  await writeFile(config, 'server = "https://kernels.example.org"\ntoken = "kb_x"\n');
  expect((await install(server)).stdout).toContain(`Next: kernelbot login --server ${server.url}\n`);
  expect(await readFile(config, "utf8")).toContain("kb_x");
});

test("where no executable runs, the script installs the package for Node.js, or says that it needs it", async () => {
  await using server = await openTestServer({ listening: true });
  await offer(server, { [EXECUTABLE]: executable("program"), [PACKAGE]: await packed() });
  for (const machine of [{ uname: "Darwin arm64" }, { uname: "Linux riscv64" }, { libc: "musl" }]) {
    for (const node of ["", "18.20.8", "20.2.0", "20.9.0", "20.18.3"]) {
      const refused = await install(server, { ...machine, node });
      expect(refused).toMatchObject({ status: 1, stdout: "" });
      expect(refused.stderr).toMatch(/^install\.sh: .* has no executable for .*: install Node\.js 20\.19 or newer/);
    }
    expect((await install(server, { ...machine, node: "20.19.0" })).stdout).toContain("a program for ");
    expect((await run(process.execPath, [join(home, ".local/bin/kernelbot")])).stdout).toBe("built\n");
  }
});

test("a file with another checksum is not installed, and the earlier program stays", async () => {
  await using server = await openTestServer({ listening: true });
  await offer(server, { [EXECUTABLE]: executable("good") });
  await install(server);
  await offer(server, { [EXECUTABLE]: executable("forged") }, { [EXECUTABLE]: executable("good") });
  const refused = await install(server);
  expect(refused.status).toBe(1);
  expect(refused.stderr).toMatch(/^install\.sh: kernelbot-linux-x64\.gz has the SHA-256 .*: nothing was installed\n$/);
  expect(await start()).toBe("good --version");
});

test("an executable that does not run is not installed", async () => {
  await using server = await openTestServer({ listening: true });
  await offer(server, { [EXECUTABLE]: gzipSync("#!/bin/sh\nexit 1\n") });
  expect((await install(server)).stderr).toBe(
    "install.sh: the executable does not run on this machine: nothing was installed\n",
  );
  expect(await readdir(join(home, ".local/bin"))).toEqual([]);
});

test("a server without programs says so", async () => {
  await using server = await openTestServer({ listening: true });
  expect((await install(server)).stderr).toMatch(/offers no programs: its operator has to run npm run build/);
  expect((await server.ask("/downloads/SHA256SUMS")).status).toBe(200);
});

test("only offered files are sent, whole or in part", async () => {
  await using server = await openTestServer();
  await offer(server, { [EXECUTABLE]: executable("program") });
  await writeFile(join(server.downloads, "secret"), "");
  for (const name of ["secret", "..%2Fsecret", "SHA256SUMS%00", "nothing"]) {
    expect((await server.ask(`/downloads/${name}`)).status).toBe(404);
  }
  const part = await server.ask(`/downloads/${EXECUTABLE}`, undefined, { headers: { range: "bytes=0-1" } });
  expect([part.status, Buffer.from(await part.arrayBuffer()).toString("hex")]).toEqual([206, "1f8b"]);
});

test("an address that could end a string of the script is refused", async () => {
  await using server = await openTestServer();
  const response = await server.app.request("http://a'b.example/install.sh");
  expect(response.status).toBe(400);
});
