import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, expect, test } from "vitest";
import { startLocalRunner } from "./local.ts";

const folder = mkdtempSync(join(tmpdir(), "kernelbot-launcher-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function program(name: string, text: string): string {
  const path = join(folder, `${name}.mjs`);
  writeFileSync(path, text);
  return path;
}

/** Records the lines of a runner's output, and waits for one. */
function listener() {
  const lines: string[] = [];
  const waiting: { found: (lines: string[]) => boolean; resolve: () => void }[] = [];
  return {
    lines,
    log: (line: string) => {
      lines.push(line);
      for (const { found, resolve } of waiting) if (found(lines)) resolve();
    },
    until: (found: (lines: string[]) => boolean) =>
      new Promise<void>((resolve) => {
        if (found(lines)) resolve();
        else waiting.push({ found, resolve });
      }),
  };
}

const options = { server: "http://127.0.0.1:1", token: "kb_test", target: "cpu" };

test("a runner gets its token in the environment, not in its arguments", async () => {
  const { log, lines, until } = listener();
  const tell = program(
    "tell",
    `console.log(JSON.stringify([process.argv.slice(2), process.env.KERNELBOT_RUNNER_TOKEN])); setInterval(() => 0, 1e6);`,
  );
  const runner = startLocalRunner({ ...options, log, program: tell });
  await until((lines) => lines.length > 0);
  expect(JSON.parse(lines[0] ?? "")).toEqual([
    ["--server", "http://127.0.0.1:1", "--target", "cpu", "--name", "local cpu"],
    "kb_test",
  ]);
  await runner.stop();
});

test("a runner inherits none of the server's secrets", async () => {
  const { log, lines, until } = listener();
  const secrets = {
    AWS_SECRET_ACCESS_KEY: "secret",
    KERNELBOT_GITHUB_CLIENT_SECRET: "secret",
    KERNELBOT_HUGGING_FACE_TOKEN: "secret",
    KERNELBOT_SIGNING_KEY: "secret",
    PGPASSWORD: "secret",
    A_NAME_THAT_NOBODY_FORESAW: "secret",
  };
  Object.assign(process.env, secrets);
  try {
    const tell = program("all", `console.log(JSON.stringify(process.env)); setInterval(() => 0, 1e6);`);
    const runner = startLocalRunner({ ...options, log, program: tell });
    await until((lines) => lines.length > 0);
    await runner.stop();
  } finally {
    for (const name of Object.keys(secrets)) Reflect.deleteProperty(process.env, name);
  }
  const env = JSON.parse(lines[0] ?? "") as Record<string, string>;
  expect(env).toMatchObject({ PATH: process.env.PATH, KERNELBOT_RUNNER_TOKEN: "kb_test" });
  expect(Object.keys(env).filter((name) => env[name] === "secret")).toEqual([]);
});

test("a runner that ends is restarted", async () => {
  const { log, lines, until } = listener();
  const die = program("die", `console.log("started"); setTimeout(() => process.exit(7), 1);`);
  const runner = startLocalRunner({ ...options, log, program: die });
  await until((lines) => lines.filter((line) => line === "started").length === 2);
  expect(lines).toContain("runner ended with exit code 7; restarting in 0.5 s");
  await runner.stop();
});

test("a runner that ignores SIGTERM is killed", async () => {
  const { log, until } = listener();
  const deaf = program(
    "deaf",
    `process.on("SIGTERM", () => console.log("asked")); setInterval(() => 0, 1e6); console.log(process.pid);`,
  );
  const runner = startLocalRunner({ ...options, log, program: deaf });
  let pid = 0;
  await until(([first]) => (pid = Number(first)) > 0);
  await runner.stop();
  expect(() => process.kill(pid, 0)).toThrow("ESRCH");
});

test("a runner whose server is killed finishes its run without readable output and ends", async () => {
  const finished = join(folder, "finished");
  const busy = program(
    "busy",
    `import { writeFileSync } from "node:fs";
     process.on("SIGTERM", () => {
       console.log("finishing");
       setTimeout(() => (writeFileSync(${JSON.stringify(finished)}, ""), process.exit()), 100);
     });
     setInterval(() => 0, 1e6);
     console.log(process.pid);`,
  );
  const server = program(
    "server",
    `import { startLocalRunner } from ${JSON.stringify(join(import.meta.dirname, "local.ts"))};
     startLocalRunner({ ...${JSON.stringify(options)}, program: ${JSON.stringify(busy)}, log: (line) => console.log(line) });`,
  );
  const child = spawn(process.execPath, [server], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  child.kill("SIGKILL");
  await once(child, "exit");
  await expect.poll(() => alive(Number(line))).toBe(false);
  expect(existsSync(finished)).toBe(true);
});

/** Returns whether the process is running; zombies are not. */
function alive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z /s.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

test.each([
  ["local.ts", `startLocalRunner({ ...OPTIONS, log: console.log })`, /runner ended with spawn .* EMFILE; restarting/],
  ["ssh.ts", `ssh({ host: "x" }, "true", "", new AbortController().signal).catch(console.log)`, /spawn ssh EMFILE/],
])("%s reports that no file descriptor is free, and its process continues", async (module, start, said) => {
  const occupy = program(
    `occupy-${module}`,
    `import { openSync } from "node:fs";
    import * as launcher from ${JSON.stringify(join(import.meta.dirname, module))};
    const { startLocalRunner, ssh } = launcher;
    const OPTIONS = ${JSON.stringify(options)};
    try { for (;;) openSync("/dev/null"); } catch {}
    ${start};
    setTimeout(() => { console.log("continues"); process.exit(); }, 100);`,
  );
  const child = spawn("bash", ["-c", 'ulimit -n 64; exec "$0" "$1"', process.execPath, occupy]);
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  expect(err).toBe("");
  expect(out).toMatch(said);
  expect(out).toContain("continues");
});
