/**
 * Invalid and harmful submissions: each results in one clear message and the right exit code, and the next submission
 * runs normally. All verdicts of the judge are tested in tester/tests/test_verdicts.py; these are one per class, and
 * those that could harm a runner.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CLI, startServer, type RunningServer } from "../scripts/processes.ts";

const RIGHT = "import torch\n\ndef custom_kernel(data):\n    x, out = data\n    return torch.mul(x, 2, out=out)\n";

let server: RunningServer;
const folder = mkdtempSync(join(tmpdir(), "kernelbot-files-"));

beforeAll(async () => {
  server = await startServer({ problems: join(import.meta.dirname, "problems"), localRunner: "cpu" });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

async function kernelbot(args: string[], address = server.url) {
  const child = spawn(process.execPath, [CLI, ...args], {
    env: { ...process.env, KERNELBOT_SERVER: address, KERNELBOT_TOKEN: server.token, NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await ended, out, err };
}

async function submit(source: string | Uint8Array, args: string[] = [], name = "kernel.py") {
  const file = join(folder, name);
  writeFileSync(file, source);
  return kernelbot(["submit", file, "--board", "double", "--target", "cpu", "--mode", "test", ...args]);
}

test("a right kernel passes", async () => {
  const { code, out, err } = await submit(RIGHT);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out).toMatch(/passed/);
});

test("a kernel in C++ passes on the same leaderboard, and a compile error is reported with its line", async () => {
  const source = (body: string): string =>
    `#include "task.h"\nvoid custom_kernel(kernelbot::Tensor<const float> x, kernelbot::Tensor<float> out) { ${body} }\n`;
  const right = await submit(source("for (int i = 0; i < x.size(); i++) out[i] = 2 * x[i];"), [], "kernel.cpp");
  expect({ code: right.code, err: right.err }).toEqual({ code: 0, err: "" });
  const wrong = await submit(source("out[0] = y;"), [], "kernel.cpp");
  expect(wrong.out).toMatch(/compile error\n {2}submission\.cpp, line 2: .*y.* was not declared/);
  expect(wrong.code).toBe(1);
});

test("a file in a language that the problem does not take is refused before it runs", async () => {
  const { code, err } = await submit("int x;\n", [], "kernel.cu");
  expect(err).toMatch(/double takes \.py and \.cpp files on cpu; the extension of "kernel\.cu" is not accepted/);
  expect(code).toBe(2);
});

test.each<[what: string, source: string | Uint8Array, sentence: RegExp]>([
  ["an empty file", "", /empty/],
  ["a file of white space", " \n\t\n", /empty/],
  ["a huge file", `#${"x".repeat(1_000_001)}`, /1,000,000/],
  ["a binary file", new Uint8Array([0x7f, 0x45, 0x4c, 0x46, 0, 0, 0, 1]), /text|binary|NUL/i],
  ["a file that is not UTF-8", new Uint8Array([0x23, 0x20, 0xe9, 0xe8, 0x0a]), /UTF-8/],
])("%s is refused before it runs", async (_, source, sentence) => {
  const { code, err } = await submit(source);
  expect(err).toMatch(sentence);
  expect(err.trim().split("\n")).toHaveLength(1);
  expect(code).toBe(2);
});

test("an unknown board is refused with the names of those that there are", async () => {
  const { code, err } = await submit(RIGHT, ["--board", "dubble"]);
  expect(err).toMatch(/dubble.*double/s);
  expect(code).toBe(2);
});

test("a target that the board does not have is refused with those that it has", async () => {
  const { code, err } = await submit(RIGHT, ["--target", "H100"]);
  expect(err).toMatch(/H100.*cpu/s);
  expect(code).toBe(2);
});

test("a server that is not there is the platform's failure", async () => {
  const { code, err } = await kernelbot(["list"], "http://127.0.0.1:9");
  expect(err).toMatch(/127\.0\.0\.1:9/);
  expect(code).toBe(3);
});

const KERNEL = (body: string): string => `import torch\n\ndef custom_kernel(data):\n    x, out = data\n    ${body}\n`;

test.each<[what: string, source: string, failureClass: string | RegExp, sentence: RegExp]>([
  ["a syntax error", "def custom_kernel(data)\n    return 1\n", "compile_error", /line 1|syntax/i],
  ["an exception at import", "raise RuntimeError('no luck')\n", "crash", /no luck/],
  ["an infinite loop", KERNEL("while True: pass"), "timeout", /5 s|time/],
  // The processes share their memory, so their number reaches its limit first, and the kernel raises the error of
  // fork(). On a busy machine the time of the stage ends before.
  [
    "a fork bomb",
    KERNEL("import os\n    while True: os.fork()"),
    /^(crash|timeout)$/,
    /Resource temporarily unavailable|time limit/,
  ],
  ["an allocation of 10 GB", KERNEL("return torch.ones(10 * 2**30, dtype=torch.uint8)"), "out_of_memory", /memory/],
  [
    "1 GB of output",
    KERNEL("import sys\n    for _ in range(1024): sys.stdout.write('x' * 2**20)"),
    "rejected",
    /output|printed|wrote/,
  ],
  ["a segmentation fault", KERNEL("import ctypes; ctypes.string_at(0)"), "crash", /SIGSEGV|signal/],
  ["an output of wrong shape", KERNEL("return torch.zeros(3)"), "wrong_result", /shape/],
])("%s fails with its class and a sentence", async (_, source, failureClass, sentence) => {
  const bad = await submit(source, ["--json"]);
  const run = (JSON.parse(bad.out) as { runs: { verdict: string; failureClass: string; message: string }[] }).runs[0];
  expect(run, JSON.stringify(run)).toMatchObject({
    verdict: "failed",
    failureClass: expect.stringMatching(failureClass) as string,
  });
  expect(run?.message).toMatch(sentence);
  expect(bad.code).toBe(1);
});

test("after all of them a right kernel passes", async () => {
  expect((await submit(RIGHT)).code).toBe(0);
});
