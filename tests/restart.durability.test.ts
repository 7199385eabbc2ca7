/**
 * A server that is restarted on a listening socket of its supervisor: clients that poll without retries do not notice.
 */
import { spawn } from "node:child_process";
import { get } from "node:http";
import { createInterface } from "node:readline";
import { join } from "node:path";
import { rmSync } from "node:fs";
import { createClient } from "@kernelbot/api";
import { expect, test } from "vitest";
import { environment, SIGN_IN_LINK, temporaryDataDir, tokenByLink } from "../scripts/processes.ts";

const SERVER = join(import.meta.dirname, "../packages/server/src/main.ts");

/** Opens a listening socket as descriptor 3, starts the command with it, and restarts the command whenever it ends. */
const SUPERVISOR = `
import os, socket, subprocess, sys
held = socket.socket()
held.bind(("127.0.0.1", 0))
held.listen(128)
print("PORT", held.getsockname()[1], flush=True)
os.dup2(held.fileno(), 3)
while True:
    child = subprocess.Popen(["sh", "-c", 'LISTEN_PID=$$ LISTEN_FDS=1 exec "$@"', "sh", *sys.argv[1:]], pass_fds=(3,))
    print("PID", child.pid, flush=True)
    child.wait()
`;

/** Returns the status of a response, on a connection of its own. */
function statusOf(url: string, token: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { "x-popcorn-cli-id": token, connection: "close" };
    get(url, { agent: false, headers }, (response) => {
      response.resume().once("end", () => resolve(response.statusCode ?? 0));
    }).once("error", reject);
  });
}

test("a client that waits for a submission is not ended by a server that is killed or stopped, and starts again", async () => {
  const dataDir = temporaryDataDir();
  const serve = [process.execPath, SERVER, "serve", "--data", dataDir];
  const problems = ["--problems", join(import.meta.dirname, "problems")];
  const supervisor = spawn("python3", ["-c", SUPERVISOR, ...serve, ...problems], {
    env: environment(),
    stdio: ["ignore", "pipe", "inherit"],
  });
  const pids: number[] = [];
  try {
    const ready = Promise.withResolvers<{ port: string; link: string }>();
    const address = { port: "", link: "" };
    let started: () => void = () => undefined;
    createInterface({ input: supervisor.stdout }).on("line", (line) => {
      address.port = /^PORT (\d+)/.exec(line)?.[1] ?? address.port;
      address.link = SIGN_IN_LINK.exec(line)?.[0] ?? address.link;
      const pid = /^PID (\d+)/.exec(line)?.[1];
      if (pid !== undefined) pids.push(Number(pid));
      if (!line.startsWith("KernelBot is ready")) return;
      ready.resolve(address);
      started();
    });
    const { port, link } = await ready.promise;
    const server = `http://127.0.0.1:${port}`;
    const token = await tokenByLink(server, link);
    const client = createClient({ server, token });
    const { id } = await client.submit({
      ...{ board: "double", targets: ["cpu"], mode: "test", fileName: "kernel.py", source: "pass\n" },
    });
    // The existing client joins a base address that ends in "/" like this.
    const poll = () => statusOf(`${server}//user/submissions/${id}`, token);
    expect(await poll()).toBe(200);
    for (const signal of ["SIGKILL", "SIGTERM"] as const) {
      const again = Promise.withResolvers<undefined>();
      started = () => again.resolve(undefined);
      process.kill(pids.at(-1) as number, signal);
      // The first request is sent while no server runs, and answered by the next one.
      const polls = [poll(), poll(), poll()];
      await again.promise;
      expect(await Promise.all([...polls, poll()])).toEqual([200, 200, 200, 200]);
    }
    expect(new Set(pids).size).toBe(3);
  } finally {
    supervisor.kill("SIGKILL");
    if (pids.length > 0) process.kill(pids.at(-1) as number, "SIGTERM");
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 500 });
  }
}, 300_000);
