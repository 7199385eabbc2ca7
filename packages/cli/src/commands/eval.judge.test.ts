/** Judging on this machine with the real judge. */
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { gunzipSync } from "node:zlib";
import { Checks, Qualification, Rehearsal, type RunDetail } from "@kernelbot/core";
import { expect, test } from "vitest";
import type { LocalRun } from "../local-judge/local-run.ts";
import { workshop } from "@kernelbot/testing/cli/kernelbot.ts";

const PROBLEM = resolve(import.meta.dirname, "../../../../problems/pmpp/vectoradd");
const solution = (name: string) => join(PROBLEM, "solutions", `${name}.py`);

test("a correct kernel passes and exits with 0", async () => {
  using place = workshop();
  const { code, out, err } = await place.kernelbot(["eval", solution("correct"), "--problem", PROBLEM]);
  expect(out).toMatch(/^vectoradd, mode test, on this machine\ncpu: prepare\ncpu: prepare passed in /);
  expect(out).toMatch(/\n\ncpu {2}passed\n/);
  expect(out).toMatch(/✓ test, 8 of 8 cases passed/);
  expect({ code, err }).toEqual({ code: 0, err: "" });
});

test("a kernel in C++ passes, and a compile error is reported with its line", async () => {
  using place = workshop();
  const fast = join(PROBLEM, "solutions", "fast_avx.cpp");
  expect((await place.kernelbot(["eval", fast, "--problem", PROBLEM])).code).toBe(0);
  const broken = place.file("broken.cpp", "int x = y;\n");
  const { code, out } = await place.kernelbot(["eval", broken, "--problem", PROBLEM]);
  expect(out).toMatch(/\ncpu {2}failed: compile error\n {2}submission\.cpp, line 1: /);
  expect(code).toBe(1);
});

test("an unsupported language is rejected with the supported ones", async () => {
  using place = workshop();
  const { code, err } = await place.kernelbot(["eval", place.file("kernel.cu", "int x;\n"), "--problem", PROBLEM]);
  expect(err).toBe(
    'kernelbot: vectoradd takes .py and .cpp files on cpu; the extension of "kernel.cu" is not accepted\n',
  );
  expect(code).toBe(2);
});

test("an incorrect kernel fails in its first incorrect case and exits with 1", async () => {
  using place = workshop();
  const { code, out } = await place.kernelbot(["eval", solution("wrong_tail"), "--problem", PROBLEM]);
  expect(out).toMatch(/\ncpu {2}failed: wrong result\n {2}test case 1 \(size: 1; seed: 4242\): /);
  expect(out).toMatch(/✗ 8 {2}size: 65537; seed: 6174\n {9}1 of 65,537 elements differs/);
  expect(code).toBe(1);
});

test("a kernel that tries to forge its result gets the findings of the static review", async () => {
  using place = workshop();
  const { code, out } = await place.kernelbot(["eval", solution("forge"), "--problem", PROBLEM]);
  expect(out).toMatch(/\n {2}Static review \(advisory\)\n/);
  expect(out).toMatch(/\n {4}line 31: suspicious: sys\._getframe reads the frames of callers/);
  expect(code).toBe(1);
});

test("benchmark --json prints one document with every sample and the score", async () => {
  using place = workshop();
  const args = ["eval", solution("correct"), "--problem", PROBLEM, "--mode", "benchmark", "--json"];
  const { code, out, err } = await place.kernelbot(args);
  const document = JSON.parse(out) as { page: null; submission: null; runs: RunDetail[] };
  expect(document).toMatchObject({ page: null, submission: null });
  const [run] = document.runs;
  expect(run).toMatchObject({ board: "vectoradd", target: "cpu", mode: "benchmark", verdict: "passed" });
  expect(run?.score?.timeNs.value).toBeGreaterThan(0);
  expect(run?.stages.at(-1)?.cases.map((each) => each.rounds.length > 0)).toEqual([true, true, true]);
  expect({ code, err }).toEqual({ code: 0, err: "" });
});

test("a profile lists the operators of each case and saves its files in a folder", async () => {
  using place = workshop();
  const args = ["eval", solution("fast_out"), "--problem", PROBLEM, "--mode", "profile"];
  const { code, out, err } = await place.kernelbot(args);
  expect(out).toMatch(/\n {2}✓ profile, 3 of 3 cases passed/);
  expect(out).toMatch(
    /\n {2}profile\.0\.txt\n {2}│ profile case 1 \(size: 65536\), 10 calls.*\n(.*\n){3,4}( {2}│ .* {2}aten::)/,
  );
  expect(out).toMatch(/\n {2}saved in fast_out\.profile\n$/);
  const files = readdirSync(join(place.folder, "fast_out.profile"));
  expect(files.filter((name) => name.endsWith(".trace.json.gz"))).toHaveLength(3);
  const trace = gunzipSync(readFileSync(join(place.folder, "fast_out.profile/profile.2.trace.json.gz"))).toString();
  expect(trace).toContain("custom_kernel");
  expect({ code, err }).toEqual({ code: 0, err: "" });
});

test("profiling a problem with its own harness is rejected before anything runs", async () => {
  using place = workshop();
  const task = `description: d
tests: [{ n: 1 }]
benchmarks: [{ n: 1 }]
gpus: [cpu]
files: [{ name: submission.py, source: "@SUBMISSION@" }, { name: eval.py, source: eval.py }]
config: { main: eval.py }
`;
  const folder = join(place.folder, "old");
  mkdirSync(folder);
  place.file("old/task.yml", task);
  place.file("old/eval.py", "");
  const kernel = place.file("kernel.py", "x = 1\n");
  const { code, err } = await place.kernelbot(["eval", kernel, "--problem", folder, "--mode", "profile"]);
  expect(err).toMatch(/has its own harness, which cannot be profiled\n$/);
  expect(code).toBe(2);
});

test("results without a sandbox are marked", async () => {
  using place = workshop();
  const args = ["eval", solution("correct"), "--problem", PROBLEM, "--unsafe-no-sandbox"];
  const { code, out } = await place.kernelbot(args);
  expect(out).toMatch(/Judged without a sandbox/);
  expect(code).toBe(0);
});

test("Ctrl-C stops the kernel and exits with 130", async () => {
  using place = workshop();
  const file = place.file("endless.py", "def custom_kernel(data):\n    while True: pass\n");
  const { code, err } = await place.kernelbot(["eval", file, "--problem", PROBLEM], { interruptAt: "cpu: test" });
  expect({ code, err }).toEqual({ code: 130, err: "Interrupted; no process is left running.\n" });
});

const ON_CUDA = `import torch
def custom_kernel(data):
    a, b, c = data
    total = torch.empty_like(a, device="cuda")
    torch.add(a, b, out=total)
    torch.cuda.synchronize()
    return total
`;

test("a kernel for a missing device is rehearsed on the CPU, and unchecked properties are listed", async () => {
  using place = workshop();
  const file = place.file("kernel.py", ON_CUDA);
  const args = ["eval", file, "--problem", PROBLEM, "--target", "H100", "--mode", "ranked"];
  const { code, out } = await place.kernelbot(args);
  expect(out).toMatch(/^vectoradd, mode test, on this machine\ncpu: prepare\n/);
  expect(out).toMatch(/\n\nvectoradd, mode test, rehearsed on the CPU: this machine has no H100\n\ncpu {2}passed\n/);
  expect(out).toMatch(/\n {2}Not judged on H100: .*\n/);
  expect(out).toMatch(/\n {2}Checked: The kernel was imported and ran \d+ test cases with correct results\.\n/);
  expect(out).toMatch(/\n {2}Not checked: Whether the kernels compile for H100: /);
  expect(code).toBe(0);

  const broken = place.file("broken.py", ON_CUDA.replace("torch.add", "torch.sub"));
  const { code: lost, out: json } = await place.kernelbot(["eval", broken, ...args.slice(2), "--json"]);
  const { runs } = JSON.parse(json) as { runs: LocalRun[] };
  expect(runs).toMatchObject([{ target: "cpu", mode: "test", failureClass: "wrong_result", score: null }]);
  expect(Rehearsal.parse(runs[0]?.rehearsal)).toMatchObject({ target: "H100", checked: [] });
  expect(lost).toBe(1);
});

test("a kernel that cannot be rehearsed exits with 3 and is not judged", async () => {
  using place = workshop();
  const inline = `from torch.utils.cpp_extension import load_inline
load_inline("add", cpp_sources="", cuda_sources="__global__ void add() {}", functions=["add"])
`;
  const args = ["eval", place.file("kernel.py", inline), "--problem", PROBLEM, "--target", "H100"];
  const { code, out } = await place.kernelbot(args);
  expect(out).toMatch(/it could not be checked here: it uses inline CUDA and HIP/);
  expect(out).not.toMatch(/submit it again/);
  expect(code).toBe(3);
});

test("an unknown target is rejected with those of the problem", async () => {
  using place = workshop();
  const args = ["eval", solution("correct"), "--problem", PROBLEM, "--target", "abacus"];
  const { code, err } = await place.kernelbot(args);
  expect(err).toMatch(/^kernelbot: vectoradd has no target "abacus"; it has cpu, .* and /);
  expect(code).toBe(2);
});

test("a machine that cannot judge exits with 3", async () => {
  using place = workshop();
  const env = { KERNELBOT_PYTHON: "/no/python" };
  const { code, err } = await place.kernelbot(["eval", solution("correct"), "--problem", PROBLEM], { env });
  expect(err).toMatch(/^kernelbot: KERNELBOT_PYTHON: "\/no\/python" is missing/);
  expect(code).toBe(3);
});

test("doctor prints findings and remedies as text and as JSON", async () => {
  using place = workshop();
  const server = "http://127.0.0.1:9";
  const { code, out } = await place.kernelbot(["doctor", "--json"], { server });
  const { version, submit, judge } = JSON.parse(out) as Record<string, unknown>;
  const packageJson = JSON.parse(readFileSync(resolve(import.meta.dirname, "../../package.json"), "utf8")) as object;
  expect(packageJson).toMatchObject({ version });
  expect(Checks.parse(submit)).toMatchObject([
    { name: "Node.js", ok: true },
    { name: "server", ok: false, fix: expect.stringContaining("kernelbot-server") as string },
  ]);
  expect(Checks.parse(judge)[0]).toMatchObject({ name: "Python", ok: true });
  expect(code).toBe(3);

  const text = await place.kernelbot(["doctor"], { server, env: { KERNELBOT_PYTHON: "/no/python" } });
  expect(text.out).toMatch(/^Can this machine submit\? no\n {2}✓ Node\.js {2}/m);
  expect(text.out).toMatch(/^Can this machine judge\? no\n {2}✗ Python {2}KERNELBOT_PYTHON/m);
});

test("doctor --qualify judges known kernels and prints its measurements as text and as JSON", async () => {
  using place = workshop();
  const args = ["doctor", "--qualify", "--minutes", "2", "--only"];
  const { code, out, err } = await place.kernelbot([...args, "isolation,rates", "--json"]);
  const { qualification } = JSON.parse(out) as Record<string, unknown>;
  expect(Qualification.parse(qualification)).toMatchObject({
    ok: true,
    qualified: false,
    verdict: "The selected checks passed. Run all checks to qualify this machine.",
    device: "cpu",
    machine: { sandbox: "bubblewrap" },
    checks: [
      { name: "isolation", ok: true, figures: [{ name: "successful probes", value: 0 }] },
      { name: "processor's rates", ok: true },
    ],
  });
  expect(err).toMatch(/ s {2}isolation\n/);
  expect(code).toBe(0);

  const missing = await place.kernelbot([...args, "isolation"], { env: { PATH: "/no/sandbox" } });
  expect(missing.out).toMatch(
    /^Can this machine rank \(cpu\)\? no\n {2}✗ isolation {2}not checked: Bubblewrap is missing/,
  );
  expect(missing.out).toMatch(/→ Fix the cause in the message/);
  expect(missing.out).toMatch(/^This machine is not qualified\. Failed: isolation\.$/m);
  expect(missing.code).toBe(3);
});

test("options of --qualify are rejected without it", async () => {
  using place = workshop();
  const { code, err } = await place.kernelbot(["doctor", "--minutes", "2"]);
  expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining("--minutes requires --qualify") as string });
});

const HISTOGRAM = resolve(PROBLEM, "../histogram");

test("a correct kernel is validated in the problem's application", async () => {
  using place = workshop();
  const args = ["eval", join(HISTOGRAM, "solutions/correct.py"), "--problem", HISTOGRAM, "--mode", "application"];
  const { code, out } = await place.kernelbot(args);
  expect(out).toMatch(/\n {2}Application {2}validated: 7 of 7 cases hold, [\d.]+× .*as fast as the reference in use\n/);
  expect(code).toBe(0);
});

// problems/applications.judge.test.ts has the other kernels that fail in use.
test("a kernel that fails in use is not validated", async () => {
  using place = workshop();
  const kernel = join(HISTOGRAM, "solutions/wrong_in_use_counters.py");
  const { code, out } = await place.kernelbot(["eval", kernel, "--problem", HISTOGRAM, "--mode", "application"]);
  expect(out).toMatch(/\n {2}Application {2}not validated: [0-6] of 7 cases holds?/);
  expect(out).toMatch(/\n {4}case \d: inaccurate: in call \d+, /);
  expect(code).toBe(1);
});

test("a problem without an application is rejected", async () => {
  using place = workshop();
  const { code, err } = await place.kernelbot([
    "eval",
    solution("correct"),
    "--problem",
    PROBLEM,
    "--mode",
    "application",
  ]);
  expect(err).toBe('kernelbot: vectoradd has no application: its task.yml has no key "application"\n');
  expect(code).toBe(2);
});
