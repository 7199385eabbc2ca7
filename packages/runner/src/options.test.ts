import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseOptions } from "./options.ts";

const BASE = ["--server", "http://localhost:8080/bot", "--target", "cpu"];
const ENV = { KERNELBOT_RUNNER_TOKEN: "kb_env" };

test("server, target and a token are enough", () => {
  expect(parseOptions(BASE, ENV)).toEqual({
    server: new URL("http://localhost:8080/bot/"),
    token: "kb_env",
    target: "cpu",
    name: hostname(),
    slots: 1,
    until: "stopped",
    endWhenIdleMs: null,
    endAt: null,
    restAfterMs: 300_000,
    unsafeNoSandbox: false,
    heartbeatFile: null,
    image: null,
  });
});

test("a token can be read from a file", () => {
  const directory = mkdtempSync(join(tmpdir(), "kernelbot-options-"));
  writeFileSync(join(directory, "token"), "kb_file\n");
  expect(parseOptions([...BASE, "--token-file", join(directory, "token")], ENV)).toMatchObject({ token: "kb_file" });
  rmSync(directory, { recursive: true });
});

test.for([
  [["--target", "cpu"], "--server URL is required"],
  [["--server", "kernels.example.org", "--target", "cpu"], '--server "kernels.example.org": use an address such as'],
  [["--server", "http://localhost"], "--target TARGET is required"],
  [["--server", "http://localhost", "--target", "my gpu"], '--target "my gpu": use letters'],
  [[...BASE, "--once", "--drain"], "use --once or --drain, not both"],
  [[...BASE, "--once", "--slots", "2"], "use --once or --slots, not both"],
  [[...BASE, "--slots", "0"], '--slots "0": use a number from 1 to 99'],
  [[...BASE, "--name", ""], "--name: use 1 to 100 characters"],
  [[...BASE, "--rest-after", "soon"], '--rest-after "soon": use a number of seconds'],
  [[...BASE, "--end-when-idle", ""], '--end-when-idle "": use a number of seconds'],
  [[...BASE, "--end-at", "2030-01-31T12:00:00"], '--end-at "2030-01-31T12:00:00": use a time such as'],
  [[...BASE, "--drain", "--end-when-idle", "60"], "use only one of --end-when-idle, --once and --drain"],
  [[...BASE, "--token", "a b"], "the token has spaces"],
  [[...BASE, "--token-file", "/nowhere/token"], '--token-file "/nowhere/token": ENOENT'],
  [[...BASE, "--gpu"], "Unknown option '--gpu'"],
] as const)("%j is rejected with the remedy", ([args, sentence]) => {
  expect(() => parseOptions(args, ENV)).toThrow(sentence);
});

test("an idle timeout and an end time are parsed", () => {
  const options = parseOptions([...BASE, "--end-when-idle", "60", "--end-at", "2030-01-31T12:00:00Z"], ENV);
  expect(options).toMatchObject({ endWhenIdleMs: 60_000, endAt: new Date("2030-01-31T12:00:00Z") });
});

test("the container image and its file for health checks are read from the environment", () => {
  const env = { ...ENV, KERNELBOT_IMAGE: "kernelbot-runner-cuda:1", KERNELBOT_HEARTBEAT_FILE: "/tmp/heartbeat" };
  expect(parseOptions(BASE, env)).toMatchObject({ image: "kernelbot-runner-cuda:1", heartbeatFile: "/tmp/heartbeat" });
});

test("a missing token is reported with the places to set it", () => {
  expect(() => parseOptions(BASE, {})).toThrow("no token: set KERNELBOT_RUNNER_TOKEN");
});
