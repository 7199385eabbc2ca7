/** What the tests of the installation scripts need: downloads, and a machine on which a script runs. */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { create } from "tar";
import { inject } from "vitest";
import type { TestServer } from "./server.ts";

/** Offers files of these contents. */
export async function offer(
  { downloads }: Pick<TestServer, "downloads">,
  files: Record<string, Buffer>,
  sums: Record<string, Buffer> = files,
): Promise<void> {
  await mkdir(downloads, { recursive: true });
  for (const [name, bytes] of Object.entries(files)) await writeFile(join(downloads, name), bytes);
  const lines = Object.entries(sums).map(([name, bytes]) => {
    return `${createHash("sha256").update(bytes).digest("hex")}  ${name}\n`;
  });
  await writeFile(join(downloads, "SHA256SUMS"), lines.join(""));
}

/** An executable that runs these commands of a shell. */
export const executable = (commands: string): Buffer => gzipSync(`#!/bin/sh\n${commands}\n`);

/** The package of a program that prints `built` and its arguments. */
export async function packed(name: string): Promise<Buffer> {
  const folder = await mkdtemp(join(inject("scratch"), "package-"));
  await mkdir(join(folder, "package/dist"), { recursive: true });
  const program = "#!/usr/bin/env node\nconsole.log('built', ...process.argv.slice(2));\n";
  await writeFile(join(folder, `package/dist/${name}.js`), program);
  await create({ gzip: true, cwd: folder, file: join(folder, "x.tgz") }, ["package"]);
  return readFile(join(folder, "x.tgz"));
}

/** The system's programs that the scripts use. */
// prettier-ignore
const TOOLS = ["sh", "cat", "chmod", "curl", "cut", "dirname", "env", "grep", "gzip", "install", "ln", "mkdir", "mktemp", "mv", "rm", "sed", "sha256sum", "tail", "tar"];

export interface MachineOptions {
  home: string;
  /** System and processor. */
  uname?: string;
  /** Version of Node.js; empty for none. */
  node?: string;
  libc?: string;
  /** Further programs, each with its commands of a shell. */
  programs?: Record<string, string>;
  /** Environment in addition to HOME and PATH. */
  env?: Record<string, string>;
  /** Program with arguments that starts the shell, such as a sandbox. */
  launch?: readonly string[];
}

/** Runs a script of the server with arguments, as `curl ... | sh` does, on a machine that has only these programs. */
export async function runScript(
  { url }: Pick<TestServer, "url">,
  script: string,
  args: readonly string[],
  options: MachineOptions,
): Promise<{ status: number; stdout: string; stderr: string }> {
  const {
    home,
    uname = "Linux x86_64",
    node = process.versions.node,
    libc = "glibc",
    programs = {},
    env = {},
  } = options;
  const bin = await mkdtemp(join(inject("scratch"), "bin-"));
  // macOS has shasum instead of sha256sum.
  const tools = uname.startsWith("Darwin") ? TOOLS.with(TOOLS.indexOf("sha256sum"), "shasum") : TOOLS;
  for (const tool of tools) await symlink(`/usr/bin/${tool}`, join(bin, tool));
  const version = `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "${node}" } })`;
  const [system, machine] = uname.split(" ");
  const fakes: Record<string, string> = {
    uname: `if [ "$1" = -m ]; then echo ${machine}; else echo ${system}; fi`,
    ldd: `echo ${libc}`,
    ...(node === ""
      ? {}
      : { node: `exec ${process.execPath} --import 'data:text/javascript,${encodeURIComponent(version)}' "$@"` }),
    ...programs,
  };
  for (const [name, commands] of Object.entries(fakes)) {
    await writeFile(join(bin, name), `#!/bin/sh\n${commands}\n`, { mode: 0o755 });
  }
  const file = join(bin, script);
  await writeFile(file, await (await fetch(`${url}/${script}`)).text());
  const [program = "sh", ...rest] = [...(options.launch ?? []), "/usr/bin/sh", file, ...args];
  try {
    const { stdout, stderr } = await promisify(execFile)(program, rest, { env: { HOME: home, PATH: bin, ...env } });
    return { status: 0, stdout, stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { status: code, stdout, stderr };
  }
}
