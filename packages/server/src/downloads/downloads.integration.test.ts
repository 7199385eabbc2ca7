import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeEach, expect, inject, test } from "vitest";
import { executable, offer, packed, runScript, type MachineOptions } from "@kernelbot/testing/installation.ts";
import { openTestServer, type TestServer } from "@kernelbot/testing/server-with-problems.ts";
import manifest from "../../package.json" with { type: "json" };

const run = promisify(execFile);

const EXECUTABLE = "kernelbot-linux-x64.gz";
const PACKAGE = `kernelbot-${manifest.version}.tgz`;

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(inject("scratch"), "home-"));
});

const install = (server: TestServer, machine: Partial<MachineOptions> = {}) =>
  runScript(server, "install.sh", [], { home, ...machine });

/** Starts the installed program. */
async function start(): Promise<string> {
  const { stdout } = await run(join(home, ".local/bin/kernelbot"), ["--version"]);
  return stdout.trim();
}

test("the script installs the executable of the platform, and a later run replaces it", async () => {
  await using server = await openTestServer({ listening: true });
  await offer(server, { [EXECUTABLE]: executable('echo first \"$@\"'), [PACKAGE]: await packed("kernelbot") });
  const first = await install(server, { node: "" });
  expect(first).toMatchObject({ status: 0, stderr: "" });
  expect(first.stdout).toContain(`Installed kernelbot ${manifest.version} as ${home}/.local/bin/kernelbot`);
  expect(first.stdout).toContain(`Add it to your PATH: export PATH="${home}/.local/bin:$PATH"`);
  expect(first.stdout).toContain("Next: kernelbot login\n");
  expect(await start()).toBe("first --version");
  const config = join(home, ".config/kernelbot/config.toml");
  expect(await readFile(config, "utf8")).toBe(`server = "${server.url}"\n`);
  expect((await stat(config)).mode & 0o777).toBe(0o600);

  await offer(server, { [EXECUTABLE]: executable('echo second \"$@\"') });
  expect((await install(server)).stdout).toContain("Next: kernelbot login\n");
  expect(await start()).toBe("second --version");
  expect(await readdir(join(home, ".local"))).toEqual(["bin"]);
});

test("on macOS, whose checksum program is another, the script installs the executable for macOS", async () => {
  await using server = await openTestServer({ listening: true });
  await offer(server, { "kernelbot-darwin-arm64.gz": executable('echo mac "$@"') });
  expect(await install(server, { uname: "Darwin arm64", node: "" })).toMatchObject({ status: 0, stderr: "" });
  expect(await start()).toBe("mac --version");
});

test("in a shell on Windows, the script says what to download", async () => {
  await using server = await openTestServer({ listening: true });
  const refused = await install(server, { uname: "MINGW64_NT-10.0-26100 x86_64" });
  expect(refused).toEqual({
    ...{ status: 1, stdout: "" },
    stderr: `install.sh: for Windows, ${server.url}/downloads/kernelbot-win-x64.zip contains the program\n`,
  });
});

test("a configuration for another server is kept, and the script says how to sign in to this one", async () => {
  await using server = await openTestServer({ listening: true });
  await offer(server, { [EXECUTABLE]: executable('echo program \"$@\"') });
  const config = join(home, ".config/kernelbot/config.toml");
  await mkdir(join(home, ".config/kernelbot"), { recursive: true });
  await writeFile(config, 'server = "https://kernels.example.org"\ntoken = "kb_x"\n');
  expect((await install(server)).stdout).toContain(`Next: kernelbot login --server ${server.url}\n`);
  expect(await readFile(config, "utf8")).toContain("kb_x");
});

test("where no executable runs, the script installs the package for Node.js, or says that it needs it", async () => {
  await using server = await openTestServer({ listening: true });
  await offer(server, { [EXECUTABLE]: executable('echo program \"$@\"'), [PACKAGE]: await packed("kernelbot") });
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
  await offer(server, { [EXECUTABLE]: executable('echo good \"$@\"') });
  await install(server);
  await offer(
    server,
    { [EXECUTABLE]: executable('echo forged \"$@\"') },
    { [EXECUTABLE]: executable('echo good \"$@\"') },
  );
  const refused = await install(server);
  expect(refused.status).toBe(1);
  expect(refused.stderr).toMatch(/^install\.sh: kernelbot-linux-x64\.gz has the SHA-256 .*: nothing was installed\n$/);
  expect(await start()).toBe("good --version");
});

test("an executable that does not run is not installed", async () => {
  await using server = await openTestServer({ listening: true });
  await offer(server, { [EXECUTABLE]: executable("exit 1") });
  expect((await install(server)).stderr).toBe(
    "install.sh: kernelbot does not run on this machine: nothing was installed\n",
  );
  expect(await readdir(join(home, ".local"))).toEqual([]);
});

test("a server without programs says so", async () => {
  await using server = await openTestServer({ listening: true });
  expect((await install(server)).stderr).toMatch(/offers no programs: its operator has to run npm run build/);
  expect((await server.ask("/downloads/SHA256SUMS")).status).toBe(200);
});

test("only offered files are sent, whole or in part", async () => {
  await using server = await openTestServer();
  await offer(server, { [EXECUTABLE]: executable('echo program \"$@\"') });
  await writeFile(join(server.downloads, "secret"), "");
  for (const name of ["secret", "..%2Fsecret", "SHA256SUMS%00", "nothing"]) {
    expect((await server.ask(`/downloads/${name}`)).status).toBe(404);
  }
  const part = await server.ask(`/downloads/${EXECUTABLE}`, undefined, { headers: { range: "bytes=0-1" } });
  expect([part.status, Buffer.from(await part.arrayBuffer()).toString("hex")]).toEqual([206, "1f8b"]);
});

test("a wheel of which the server has only the parts is sent whole", async () => {
  await using server = await openTestServer();
  const program = executable('echo program "$@"');
  const wheel = Buffer.concat([Buffer.from("first"), program.subarray(10, -8), Buffer.from("last")]);
  const parts = { executable: EXECUTABLE, head: btoa("first"), tail: btoa("last") };
  const files = { [EXECUTABLE]: program, "runner.whl.json": Buffer.from(JSON.stringify(parts)) };
  await offer(server, files, { [EXECUTABLE]: program, "runner.whl": wheel });
  const head = await server.ask("/downloads/runner.whl", undefined, { method: "HEAD" });
  expect([head.headers.get("content-length"), await head.text()]).toEqual([String(wheel.length), ""]);
  const response = await server.ask("/downloads/runner.whl");
  expect(Buffer.from(await response.arrayBuffer()).equals(wheel)).toBe(true);
  expect((await server.ask("/downloads/runner.whl.json")).status).toBe(404);
});

test("an address that could end a string of the script is refused", async () => {
  await using server = await openTestServer();
  const response = await server.app.request("http://a'b.example/install.sh");
  expect(response.status).toBe(400);
});
