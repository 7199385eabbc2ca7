/** The script that installs a runner, on machines whose programs are fakes. */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { beforeEach, expect, inject, test } from "vitest";
import { executable, offer, packed, runScript, type MachineOptions } from "@kernelbot/testing/installation.ts";
import { openTestServer, type TestServer } from "@kernelbot/testing/server-with-problems.ts";
import manifest from "../../package.json" with { type: "json" };

const EXECUTABLE = "kernelbot-linux-x64.gz";
const UNIT = resolve(import.meta.dirname, "../../../../deploy/systemd/kernelbot-runner.service");

/** A program that prints how it was called; its command `doctor` ends with the exit code DOCTOR. */
const RUNNER = executable(`case $1 in
  --help) ;;
  doctor) echo "program $(basename "$0") $* as \${USER:-self} with $KERNELBOT_PYTHON and $KERNELBOT_RUNNER_TOKEN"; exit \${DOCTOR:-0} ;;
  *) echo "program $* with $KERNELBOT_PYTHON" ;;
esac`);

/** Programs of a machine that can judge. */
const JUDGE = {
  bwrap: "",
  gcc: "",
  python3: 'echo warning >&2; echo "$0"',
  basename: "exec /usr/bin/basename $1",
};

const TOKEN = "kb_secret";

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(inject("scratch"), "home-"));
});

/** Runs the script as an ordinary user. */
function install(server: TestServer, args: readonly string[], { programs, ...machine }: Partial<MachineOptions> = {}) {
  return runScript(server, "install-runner.sh", args, {
    home,
    programs: { id: "echo 1000", ...JUDGE, ...programs },
    ...machine,
  });
}

/** Runs the script as root on a machine with systemd, whose `/etc`, `/opt` and `/var/cache` are folders of `home`. */
async function installService(
  server: TestServer,
  args: readonly string[],
  { programs, ...machine }: Partial<MachineOptions> = {},
) {
  for (const name of ["etc/systemd/system", "opt", "cache"]) await mkdir(join(home, name), { recursive: true });
  await writeFile(join(home, "etc/group"), "root:x:0:\nvideo:x:44:\n");
  // prettier-ignore
  const launch = ["/usr/bin/bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--bind", "/tmp", "/tmp",
    "--bind", join(home, "etc"), "/etc", "--bind", join(home, "opt"), "/opt", "--bind", join(home, "cache"), "/var/cache",
    "--tmpfs", "/run", "--dir", "/run/systemd/system", "--"];
  return runScript(server, "install-runner.sh", args, {
    home,
    launch,
    programs: {
      ...JUDGE,
      id: '[ "$1" = -u ] && echo 0',
      ...Object.fromEntries(["useradd", "usermod", "systemctl"].map((name) => [name, `echo "${name} $*"`])),
      install: "mkdir -p /var/cache/kernelbot",
      runuser: 'shift 3; USER=kernelbot exec "$@"',
      ...programs,
    },
    ...machine,
  });
}

test("as an ordinary user, the script checks the machine, keeps the token in a private file, and prints the command", async () => {
  await using server = await openTestServer({ listening: true });
  await offer(server, { [EXECUTABLE]: RUNNER });
  const { status, stdout, stderr } = await install(server, ["--token", TOKEN, "--target=H100"]);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  const [, python = ""] = /Start it: KERNELBOT_PYTHON=(\S+)/.exec(stdout) ?? [];
  expect(python).toMatch(/^\/.*\/python3$/);
  const checked = `program kernelbot-runner doctor --server ${server.url} --target H100 as self with ${python}`;
  expect(stdout).toContain(`${checked} and ${TOKEN}\n`);
  expect(stdout).toContain(`Installed kernelbot-runner ${manifest.version} as ${home}/.local/bin/kernelbot-runner`);
  const file = join(home, ".config/kernelbot/runner-token");
  const command = `${home}/.local/bin/kernelbot-runner --server ${server.url} --target H100 --token-file ${file}`;
  expect(stdout).toContain(`Start it: KERNELBOT_PYTHON=${python} ${command}\n`);
  expect(await readFile(file, "utf8")).toBe(`${TOKEN}\n`);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readdir(join(home, ".local"))).toEqual(["bin"]);
});

test("a later run keeps token, target and name, and --foreground starts the runner", async () => {
  await using server = await openTestServer({ listening: true });
  await offer(server, { [EXECUTABLE]: RUNNER });
  await install(server, ["--token", TOKEN, "--target", "H100", "--name", "box"]);
  const { status, stdout } = await install(server, ["--foreground"]);
  expect(status).toBe(0);
  const file = join(home, ".config/kernelbot/runner-token");
  const command = `--server ${server.url} --target H100 --token-file ${file} --name box`;
  expect(stdout.split("\n").at(-2)).toMatch(`program ${command} with /`);
  expect(stdout).toMatch(RegExp(`--name box as self with .* and ${TOKEN}\n`));
  expect(await readdir(join(home, ".local"))).toEqual(["bin"]);
});

test("where no executable runs, the runner is installed as a package for Node.js", async () => {
  await using server = await openTestServer({ listening: true });
  await offer(server, { [`kernelbot-runner-${manifest.version}.tgz`]: await packed("kernelbot-runner") });
  const { stdout } = await install(server, ["--token", TOKEN, "--target", "cpu"], { uname: "Linux riscv64" });
  expect(stdout).toContain("built doctor --server");
  const done = await promisify(execFile)(process.execPath, [join(home, ".local/bin/kernelbot-runner")]);
  expect(done.stdout).toBe("built\n");
});

test("a machine that fails the checks keeps the earlier program and token", async () => {
  await using server = await openTestServer({ listening: true });
  await offer(server, { [EXECUTABLE]: RUNNER });
  await install(server, ["--token", TOKEN, "--target", "cpu"]);
  const refused = await install(server, ["--token", "kb_other"], { env: { DOCTOR: "3" } });
  expect(refused.status).toBe(1);
  expect(refused.stderr).toBe(
    "install-runner.sh: the runner would not work: nothing was installed. Fix what is marked above and run the script again\n",
  );
  expect(await readFile(join(home, ".config/kernelbot/runner-token"), "utf8")).toBe(`${TOKEN}\n`);
  expect(await readdir(join(home, ".local"))).toEqual(["bin"]);
});

test.each([
  ["--target TARGET is required", ["--token", TOKEN]],
  ["--token TOKEN is required: an administrator creates one with kernelbot runners add H100", ["--target", "H100"]],
  ['"--targets" is not an option', ["--targets", "H100"]],
  ["--token needs a value", ["--target", "H100", "--token"]],
  ['--name "a b": use letters', ["--target", "H100", "--token", TOKEN, "--name", "a b"]],
])("invalid usage is refused with the options: %s", async (message, args) => {
  await using server = await openTestServer({ listening: true });
  const { status, stdout, stderr } = await install(server, args);
  expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
  expect(stderr).toContain(`install-runner.sh: ${message}`);
  expect(stderr).toContain(`Usage: curl -fsSL ${server.url}/install-runner.sh | sh -s -- --token TOKEN`);
});

test("a machine without PyTorch is refused with the commands that install its pinned version", async () => {
  await using server = await openTestServer({ listening: true });
  const args = ["--token", TOKEN, "--target", "cpu", "--python", "python3"];
  const python3 = `echo "ModuleNotFoundError: No module named 'torch'" >&2; exit 1`;
  const onProcessor = await install(server, args, { programs: { python3 } });
  expect(onProcessor.status).toBe(1);
  expect(onProcessor.stderr).toContain("  python3: ModuleNotFoundError: No module named 'torch'\n");
  expect(onProcessor.stderr).toMatch(/-m pip install numpy==\S+ --index-url \S+\/whl\/cpu torch==\d\S+\n/);
  expect(onProcessor.stderr).toContain(
    `run the script again with --python ${home}/.local/kernelbot-python/bin/python3`,
  );
  const onDevice = await install(server, args, { programs: { python3, "nvidia-smi": "" } });
  expect(onDevice.stderr).toMatch(/-m pip install numpy==\S+ --index-url \S+\/whl\/cu\d+ torch==\d\S+\n/);
});

test("another system than Linux is refused", async () => {
  await using server = await openTestServer({ listening: true });
  const refused = await install(server, ["--token", TOKEN, "--target", "cpu"], { uname: "Darwin arm64" });
  expect(refused.stderr).toBe("install-runner.sh: runners need Linux, whose sandbox they use: this is Darwin\n");
});

test("missing packages are installed by root with apt-get, and named to others", async () => {
  await using server = await openTestServer({ listening: true });
  await offer(server, { [EXECUTABLE]: RUNNER });
  const { bwrap: _, gcc: __, ...programs } = JUDGE;
  const without = (more: Record<string, string>) =>
    runScript(server, "install-runner.sh", ["--token", TOKEN, "--target", "cpu"], {
      home,
      programs: { ...programs, ...more },
    });
  const apt = { "apt-get": 'echo "apt-get $*" >&2' };
  expect((await without({ id: "echo 1000", ...apt })).stderr).toBe(
    "install-runner.sh: this machine lacks bubblewrap gcc libc6-dev: run sudo apt-get install bubblewrap gcc libc6-dev and the script again\n",
  );
  expect((await without({ id: "echo 1000" })).stderr).toContain("lacks what Debian calls bubblewrap gcc libc6-dev");
  const installed = await without({ id: "echo 0", ...apt });
  expect(installed).toMatchObject({
    status: 0,
    stderr: expect.stringMatching(/ install bubblewrap gcc libc6-dev\n.* update\n.* install libjemalloc2\n$/) as string,
  });
});

test("jemalloc is installed where only it is missing, and the script continues without it", async () => {
  await using server = await openTestServer({ listening: true });
  await offer(server, { [EXECUTABLE]: RUNNER });
  const asRoot = (programs: Record<string, string>) =>
    install(server, ["--token", TOKEN, "--target", "cpu"], { programs: { id: "echo 0", ...programs } });
  const apt = 'echo "apt-get $*" >&2';
  expect(await asRoot({ "apt-get": apt, dpkg: "exit 1" })).toMatchObject({
    status: 0,
    stderr: expect.stringMatching(/ install libjemalloc2\n$/) as string,
  });
  expect(await asRoot({ "apt-get": apt, dpkg: "" })).toMatchObject({ status: 0, stderr: "" });
  expect(await asRoot({ "apt-get": "exit 100", dpkg: "exit 1" })).toMatchObject({
    status: 0,
    stderr: "apt-get could not install libjemalloc2: times on a CPU vary more without it\n",
  });
});

test("as root with systemd, the script installs and starts the service, and --uninstall removes it", async () => {
  await using server = await openTestServer({ listening: true });
  await offer(server, { [EXECUTABLE]: RUNNER });
  const { status, stdout, stderr } = await installService(server, [
    "--token",
    TOKEN,
    "--target",
    "H100",
    "--name",
    "box",
  ]);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(stdout).toMatch(/program kernelbot-runner doctor .* --name box as kernelbot with \S+ and kb_secret\n/);
  expect(stdout.match(/^(useradd|usermod|systemctl) .*/gm)).toEqual([
    "useradd --system --home-dir /var/cache/kernelbot --no-create-home --shell /usr/sbin/nologin kernelbot",
    "usermod -aG video kernelbot",
    "systemctl daemon-reload",
    "systemctl --quiet enable kernelbot-runner",
    "systemctl --no-block restart kernelbot-runner",
  ]);
  const unit = join(home, "etc/systemd/system/kernelbot-runner.service");
  expect(await readFile(unit, "utf8")).toBe(await readFile(UNIT, "utf8"));
  expect((await stat(join(home, "opt/kernelbot/bin/kernelbot-runner"))).mode & 0o777).toBe(0o755);
  expect((await stat(join(home, "etc/kernelbot/runner-token"))).mode & 0o777).toBe(0o600);
  const settings = join(home, "etc/kernelbot/runner.env");
  const [, python] = / as kernelbot with (\S+)/.exec(stdout) ?? [];
  const own = `KERNELBOT_SERVER=${server.url}\nKERNELBOT_TARGET=H100\nKERNELBOT_PYTHON=${python}\n`;
  expect(await readFile(settings, "utf8")).toBe(`${own}KERNELBOT_RUNNER_OPTIONS=--name box\n`);

  await writeFile(settings, `${own}KERNELBOT_RUNNER_OPTIONS=--rest-after 9 --name box\nCUDA_VISIBLE_DEVICES=1\n`);
  await installService(server, ["--name", "crate"]);
  expect(await readFile(settings, "utf8")).toBe(
    `${own}KERNELBOT_RUNNER_OPTIONS=--name crate --rest-after 9\nCUDA_VISIBLE_DEVICES=1\n`,
  );

  const removed = await installService(server, ["--uninstall"]);
  expect(removed.stdout).toContain("systemctl --quiet disable --now kernelbot-runner\n");
  expect(await readdir(join(home, "etc"), { recursive: true })).not.toContain("kernelbot-runner.service");
  expect(await readdir(join(home, "opt/kernelbot/bin"))).toEqual([]);
});

test("a Python that the service cannot run is refused with what to do", async () => {
  await using server = await openTestServer({ listening: true });
  await offer(server, { [EXECUTABLE]: RUNNER });
  const refused = await installService(server, ["--token", TOKEN, "--target", "cpu"], {
    programs: { runuser: "exit 1" },
  });
  expect(refused.stderr).toContain("the user kernelbot of the service cannot run /");
  expect(await readdir(join(home, "opt/kernelbot"))).toEqual([]);
});
