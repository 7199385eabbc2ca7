/** The system's ssh against an SSH server on which sbatch, squeue and scancel are scripts of this test. */
import { spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import type { Launcher } from "./launcher.ts";
import { ARGUMENTS, fileWith, launcherOf, ORDER, SIGNAL } from "@kernelbot/testing/launchers.ts";

/** The parts of ssh2 that are used; its types are not installed. */
interface Ssh2 {
  Server: new (options: { hostKeys: string[] }, onClient: (client: Emitter) => void) => Listener;
  utils: {
    generateKeyPairSync(kind: string): { private: string; public: string };
    parseKey(text: string): { getPublicSSH(): Buffer };
  };
}
interface Emitter {
  on(event: string, listener: (...args: never[]) => void): this;
}
interface Listener {
  listen(port: number, host: string, done: () => void): void;
  address(): AddressInfo;
  close(): void;
}
interface Attempt {
  method: string;
  key: { data: Buffer };
  accept(): void;
  reject(methods?: string[]): void;
}
type Channel = Duplex & { stderr: NodeJS.WritableStream; exit(code: number): void };

const name: string = "ssh2";
const ssh2 = await import(name).then(
  (module) => (module as { default: Ssh2 }).default,
  () => null,
);

const home = mkdtempSync(join(inject("scratch"), "slurm-"));
/** Commands received over ssh, as visible in a process list. */
const commands: string[] = [];
let server: Listener;
let launcher: Launcher;

/** Fake of Slurm's commands: jobs are files by id, with name and state. */
const TOOLS = {
  sbatch: `
    script=$(cat); name=$(printf '%s\\n' "$script" | sed -n 's/^#SBATCH --job-name=//p')
    case "$script" in *--partition=full*) echo 'sbatch: error: QOSMaxSubmitJobPerUserLimit' >&2; exit 1;; esac
    id=$(( $(ls jobs | wc -l) + 100 )); printf '%s\\n' "$script" > scripts/$id
    echo "$name PENDING Resources" > jobs/$id; echo "$id;cluster"`,
  squeue: `
    for word; do case $word in --name=*) name=\${word#--name=};; --jobs=*) id=\${word#--jobs=};; esac; done
    if [ -n "$id" ]; then
      [ -f jobs/$id ] || { echo 'slurm_load_jobs error: Invalid job id specified' >&2; exit 1; }
      cut -d' ' -f2- jobs/$id
    else for job in jobs/*; do read n rest < $job; [ "$n" = "$name" ] && basename $job; done; true; fi`,
  scancel: `
    [ -f jobs/$1 ] || { echo 'scancel: error: Kill job error on job id: Invalid job id specified' >&2; exit 1; }
    read n rest < jobs/$1; echo "$n CANCELLED None" > jobs/$1`,
};

beforeAll(async () => {
  if (ssh2 === null) return;
  const [hostKey, userKey] = [ssh2.utils.generateKeyPairSync("ed25519"), ssh2.utils.generateKeyPairSync("ed25519")];
  const allowed = ssh2.utils.parseKey(userKey.public).getPublicSSH();
  for (const folder of ["bin", "jobs", "scripts"]) mkdirSync(join(home, folder));
  for (const [tool, text] of Object.entries(TOOLS)) {
    writeFileSync(join(home, "bin", tool), `#!/bin/sh\ncd "$HOME"\n${text}\n`);
    chmodSync(join(home, "bin", tool), 0o755);
  }
  server = new ssh2.Server({ hostKeys: [hostKey.private] }, (client) => {
    client.on("error", () => undefined);
    client.on("authentication", (attempt: Attempt) => {
      const isOurs = attempt.method === "publickey" && attempt.key.data.equals(allowed);
      if (isOurs) attempt.accept();
      else attempt.reject(["publickey"]);
    });
    client.on("session", (accept: () => Emitter) => {
      accept().on("exec", (begin: () => Channel, _: unknown, { command }: { command: string }) => {
        commands.push(command);
        run(command, begin());
      });
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address();
  const knownHosts = fileWith(`[127.0.0.1]:${port} ${hostKey.public}\n`);
  launcher = await launcherOf(`
kind = "slurm"
host = "127.0.0.1"
port = ${port}
user = "operator"
identityFile = "${fileWith(userKey.private)}"
knownHostsFile = "${knownHosts}"
[launchers.test.targets.H100]
command = "apptainer run --nv runner.sif"
gres = "gpu:h100:1"
partition = "gpu"
cpus = 8
options = ["--exclusive"]
[launchers.test.targets.MI300]
partition = "full"
`);
});
afterAll(() => ssh2 === null || server.close());

function run(command: string, channel: Channel): void {
  const env = { HOME: home, PATH: `${join(home, "bin")}:/usr/bin:/bin` };
  const child = spawn("/bin/sh", ["-c", command], { cwd: home, env });
  channel.pipe(child.stdin);
  child.stdin.on("error", () => undefined);
  child.stdout.pipe(channel, { end: false });
  child.stderr.pipe(channel.stderr, { end: false });
  void once(child, "close").then(([code]) => {
    channel.exit(Number(code));
    channel.end();
  });
}

/** Runs only where ssh2 is installed, which `node scripts/setup.mjs --test` does. */
const testing = test.skipIf(ssh2 === null);

testing("submits a batch job that reads its token from a private file and deletes it", async () => {
  const id = await launcher.launch(ORDER, SIGNAL);
  expect(id).toBe("100");
  const script = readFileSync(join(home, "scripts/100"), "utf8");
  expect(script.split("\n").filter((line) => line.startsWith("#SBATCH"))).toEqual([
    "#SBATCH --job-name=kernelbot-0123456789ab",
    "#SBATCH --time=120",
    "#SBATCH --output=.kernelbot/kernelbot-0123456789ab.log",
    "#SBATCH --no-requeue",
    "#SBATCH --export=NONE",
    "#SBATCH --partition=gpu",
    "#SBATCH --gres=gpu:h100:1",
    "#SBATCH --cpus-per-task=8",
    "#SBATCH --exclusive",
  ]);
  const file = join(home, ".kernelbot/kernelbot-0123456789ab.token");
  expect(readFileSync(file, "utf8")).toBe(ORDER.token);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  // Runs the job as its node would, with a fake runner that prints its arguments.
  writeFileSync(join(home, "bin/apptainer"), `#!/bin/sh\necho "$KERNELBOT_RUNNER_TOKEN" "$@"\n`, { mode: 0o755 });
  const job = spawn("/bin/bash", ["-c", script], { env: { HOME: home, PATH: `${join(home, "bin")}:/usr/bin:/bin` } });
  let output = "";
  job.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  await once(job, "close");
  expect(output).toBe(`${ORDER.token} run --nv runner.sif ${ARGUMENTS.join(" ")}\n`);
  expect(existsSync(file)).toBe(false);
});

testing("the token is in no command line and no script", async () => {
  const seen = [
    ...commands,
    ...readdirSync(join(home, "scripts")).map((id) => readFileSync(join(home, "scripts", id), "utf8")),
  ];
  expect(seen.length).toBeGreaterThan(1);
  expect(seen.join("\n")).not.toContain(ORDER.token);
});

testing("reports sbatch's error message and leaves no token file", async () => {
  const order = { ...ORDER, name: "kernelbot-refused", target: "MI300" };
  await expect(launcher.launch(order, SIGNAL)).rejects.toMatchObject({
    name: "Refused",
    message: "sbatch on 127.0.0.1: sbatch: error: QOSMaxSubmitJobPerUserLimit",
  });
  expect(existsSync(join(home, ".kernelbot/kernelbot-refused.token"))).toBe(false);
});

testing("finds a job by its name after the response was lost", async () => {
  expect(await launcher.find(ORDER.name, new Date(), SIGNAL)).toBe("100");
  expect(await launcher.find("kernelbot-unknown", new Date(), SIGNAL)).toBeNull();
});

testing("reports a job's state, and ended after its cancellation", async () => {
  expect(await launcher.status("100", SIGNAL)).toEqual({ state: "queued", detail: "Slurm job PENDING, Resources" });
  writeFileSync(join(home, "jobs/100"), `${ORDER.name} CONFIGURING None\n`);
  expect(await launcher.status("100", SIGNAL)).toEqual({ state: "waiting", detail: "Slurm job CONFIGURING" });
  writeFileSync(join(home, "jobs/100"), `${ORDER.name} RUNNING None\n`);
  expect(await launcher.status("100", SIGNAL)).toEqual({ state: "running" });
  await launcher.cancel("100", SIGNAL);
  expect(await launcher.status("100", SIGNAL)).toEqual({ state: "ended", detail: "Slurm job CANCELLED" });
  await launcher.cancel("999", SIGNAL);
  expect(await launcher.status("999", SIGNAL)).toEqual({
    state: "ended",
    detail: "the job no longer exists in Slurm",
  });
});

testing("an unreachable host or unknown host key leaves the outcome unknown", async () => {
  const { port } = server.address();
  const stranger = await launcherOf(`
kind = "slurm"
host = "127.0.0.1"
port = ${port}
knownHostsFile = "${fileWith("")}"
[launchers.test.targets.H100]
`);
  await expect(stranger.launch(ORDER, SIGNAL)).rejects.toMatchObject({
    name: "Error",
    message: "ssh to 127.0.0.1: Host key verification failed.",
  });
});
