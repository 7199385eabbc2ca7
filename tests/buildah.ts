/** Builds images with Debian's buildah, on a base image that is made of Debian's packages: neither a registry nor Docker. */
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { inject } from "vitest";

const ROOT = resolve(import.meta.dirname, "..");
/** The images are kept, since the base takes a minute and a half of processor time. */
const CACHE = join(ROOT, "node_modules/.cache/kernelbot-images");
/** Changes with its contents. */
const BASE = "localhost/debian-torch:1";
/** What the stage `python` of the Dockerfile installs, from Debian instead of the Python registry. */
const PACKAGES = "bubblewrap,gcc,libc6-dev,python3-venv,python3-torch,python3-numpy,libopenblas0-pthread";

/** Whether images can be built here: Debian, root, and both programs. */
export const canBuildImages =
  process.getuid?.() === 0 &&
  existsSync("/etc/debian_version") &&
  ["buildah", "mmdebstrap"].every((program) => spawnSync(program, ["--version"]).status === 0);

/** Command line of buildah with the images of the tests. */
export function buildahCommand(...args: readonly string[]): [program: string, args: string[]] {
  return ["buildah", ["--root", join(CACHE, "storage"), "--runroot", join(CACHE, "run"), ...args]];
}

/** Runs buildah. @returns what it prints @throws Error with its messages */
export function buildah(...args: readonly string[]): string {
  const [program, all] = buildahCommand(...args);
  return execFileSync(program, all, { encoding: "utf8", cwd: ROOT, stdio: ["ignore", "pipe", "pipe"] }).trim();
}

/**
 * Runs a command in a container, as its user. The output goes through a file, because buildah 1.28 loses it once in 200
 * runs on a busy machine, where the command ends before buildah reads its pipe.
 * @returns what the command prints @throws Error where it fails
 */
export function runInContainer(
  container: string,
  command: readonly string[],
  env: Readonly<Record<string, string>> = {},
): string {
  const folder = mkdtempSync(join(inject("scratch"), "output-"));
  chmodSync(folder, 0o777);
  const variables = Object.entries(env).flatMap(([name, value]) => ["--env", `${name}=${value}`]);
  const options = ["--isolation", "chroot", "--volume", `${folder}:/mnt`, ...variables];
  try {
    buildah("run", ...options, container, "--", "sh", "-c", '"$@" > /mnt/output', "sh", ...command);
    return readFileSync(join(folder, "output"), "utf8").trim();
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Makes an image of a folder or an archive, which becomes its `path`. */
function makeImage(name: string, source: string, path: string): void {
  const container = buildah("from", "scratch");
  buildah("add", "--quiet", container, source, path);
  buildah("commit", "--quiet", "--rm", container, name);
}

/** Makes the base image where it is missing: Debian with PyTorch, and the interpreter where the runner images have it. */
function makeBase(): void {
  if (buildah("images", "--quiet", "--filter", `reference=${BASE}`) !== "") return;
  const sources = globSync(["/etc/apt/sources.list", "/etc/apt/sources.list.d/*.{list,sources}"]);
  const codename = execFileSync("sh", ["-c", ". /etc/os-release && echo $VERSION_CODENAME"], {
    encoding: "utf8",
  }).trim();
  const venv = 'chroot "$1" python3 -m venv --system-site-packages --without-pip /opt/python';
  const options = ["--mode=root", "--variant=minbase", `--include=${PACKAGES}`, `--customize-hook=${venv}`];
  // A mirror's copy may be older than the date until which it is valid.
  options.push('--aptopt=Acquire::Check-Valid-Until "false"', "--dpkgopt=path-exclude=/usr/share/doc/*");
  // Without waits for the disk: an image that was interrupted is not committed.
  options.push("--dpkgopt=force-unsafe-io", "--format=directory");
  const container = buildah("from", "scratch");
  const root = buildah("mount", container);
  execFileSync("mmdebstrap", [...options, codename, root, ...sources], { stdio: ["ignore", "pipe", "pipe"] });
  buildah("commit", "--quiet", "--rm", container, BASE);
}

/** Builds the targets of the Dockerfile from the installed packages in a folder, as images of their names. */
export function buildImages(packages: string, targets: readonly string[]): void {
  makeBase();
  const installed = "localhost/packages";
  makeImage(installed, packages, "/packages");
  const images = { NODE_IMAGE: installed, PACKAGES: installed, BASE_IMAGE: BASE, RUNTIME: BASE, IMAGE: "test:1" };
  const args = Object.entries(images).flatMap(([name, image]) => ["--build-arg", `${name}=${image}`]);
  const file = ["--file", "deploy/images/Dockerfile", "--ignorefile", "deploy/images/Dockerfile.dockerignore"];
  for (const target of targets) {
    // The format of Docker has health checks, that of OCI does not.
    const how = ["--isolation", "chroot", "--format", "docker", "--target", target, "--tag", target];
    buildah("build", "--quiet", ...how, ...file, ...args, ".");
  }
}

/** Removes the containers, and all images but the base. */
export function removeImages(): void {
  buildah("rm", "--all");
  const lines = buildah("images", "--format", "{{.Name}}:{{.Tag}} {{.ID}}").split("\n").filter(Boolean);
  const images = lines.filter((line) => !line.startsWith(`${BASE} `)).map((line) => line.split(" ").at(-1) ?? "");
  if (images.length > 0) buildah("rmi", "--force", ...images);
}
