import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { answered, KERNEL, startFakeModel } from "@kernelbot/testing/cli/fake-model.ts";
import { workshop, type Call } from "@kernelbot/testing/cli/kernelbot.ts";

const KEY = "sk-a-secret-that-is-never-shown";
const RELU = "class Model: ...  # ReLU\n";

/** Creates a checkout with problems 2 and 19 of level 1 and problem 1 of level 2, and a fake model. */
async function bench(behave: Parameters<typeof startFakeModel>[0] = () => answered()) {
  const place = workshop();
  const model = await startFakeModel(behave);
  for (const [name, source] of [
    ["level1/19_ReLU.py", RELU],
    ["level1/2_Matmul.py", "class Model: ...  # Matmul\n"],
    ["level2/1_Conv.py", "class Model: ...  # Conv\n"],
  ] as const) {
    mkdirSync(join(place.folder, "KernelBench", name, ".."), { recursive: true });
    writeFileSync(join(place.folder, "KernelBench", name), source);
  }
  return {
    ...place,
    model,
    generate: (args: readonly string[] = [], call: Call = {}) =>
      place.kernelbot(
        ["kernelbench", "generate", "--dir", ".", "--model", "m-1", "--endpoint", model.url, "--out", "out", ...args],
        { ...call, env: { OPENAI_API_KEY: KEY, ...call.env } },
      ),
    read: (name: string) => readFileSync(join(place.folder, name), "utf8"),
    /** Lists the files in the folder of kernels. */
    files: () =>
      readdirSync(join(place.folder, "out"), { recursive: true, encoding: "utf8" })
        .filter((name) => /\.\w+$/.test(name))
        .sort(),
    async [Symbol.asyncDispose]() {
      await model[Symbol.asyncDispose]();
      place[Symbol.dispose]();
    },
  };
}

test("a kernel is generated for each problem, and kernels, tokens and cost are printed and stored", async () => {
  await using place = await bench();
  const { code, out, err } = await place.generate(["--price-in", "1", "--price-out", "4", "--temperature", "0.5"]);
  expect([err, code]).toEqual(["", 0]);
  const lines = out
    .trimEnd()
    .replace(/[\d.]+ s$/gm, "0.1 s")
    .split("\n");
  expect(lines.slice(0, 3).sort()).toEqual([
    "level_1_problem_19_sample_0  kernel, 20 tokens, 0.1 s",
    "level_1_problem_2_sample_0  kernel, 20 tokens, 0.1 s",
    "level_2_problem_1_sample_0  kernel, 20 tokens, 0.1 s",
  ]);
  expect(lines.slice(3)).toEqual([
    "3 kernels of 3 requested.",
    "In out: 3 kernels from 3 answers, 30 + 60 tokens, cost 0.0003.",
  ]);
  expect(place.files()).toEqual([
    "level1/level_1_problem_19_sample_0_kernel.py",
    "level1/level_1_problem_2_sample_0_kernel.py",
    "level2/level_2_problem_1_sample_0_kernel.py",
    "usage.json",
  ]);
  expect(place.read("out/level1/level_1_problem_19_sample_0_kernel.py")).toBe(KERNEL);
  expect(place.model.questions[0]).toMatchObject({ model: "m-1", temperature: 0.5 });
});

test("the prompt has the problem's source, the backend and the rules", async () => {
  await using place = await bench();
  await place.generate(["--problems", "1/19", "--backend", "triton", "--precision", "bf16"]);
  const [question] = place.model.questions;
  expect(place.model.questions).toHaveLength(1);
  expect(question?.messages).toHaveLength(1);
  const prompt = question?.messages[0]?.content ?? "";
  expect(prompt).toContain(`\`\`\`python\n${RELU}\`\`\``);
  expect(prompt).toContain("Triton");
  expect(prompt).toContain("in bf16");
  expect(prompt).not.toContain("{{");
});

test("a custom template replaces the built-in one", async () => {
  await using place = await bench();
  writeFileSync(join(place.folder, "mine.md"), "Make {{problem}} fast. {{backend}}");
  await place.generate(["--prompt", "mine.md", "--levels", "2", "--backend", "pytorch"]);
  const [question] = place.model.questions;
  expect(question?.messages[0]?.content).toMatch(/^Make class Model: ... {2}# Conv fast\. Use only PyTorch/);
});

test("the system prompt, examples and hardware are part of the prompt, in order", async () => {
  await using place = await bench();
  writeFileSync(join(place.folder, "system.md"), "You are brief.");
  await place.generate(["--problems", "1/19", "--system", "system.md", "--examples", "few", "--hardware", "H100"]);
  const [system, user] = place.model.questions[0]?.messages ?? [];
  expect(system).toEqual({ role: "system", content: "You are brief." });
  const prompt = user?.content ?? "";
  expect(prompt.match(/^An example\. For this module:$/gm)).toHaveLength(3);
  expect(prompt).toContain("__global__ void add_kernel");
  expect(prompt).toMatch(/The kernels run on .*H100.* GB\/s/);
  expect(prompt.indexOf("An example")).toBeLessThan(prompt.indexOf(RELU.trim()));
  expect(prompt).not.toContain("{{");
});

test("--examples one includes one example, --example a custom one, and no option none", async () => {
  await using place = await bench();
  writeFileSync(join(place.folder, "model.py"), "class Model: mine = 1\n");
  writeFileSync(join(place.folder, "kernel.py"), "class ModelNew: mine = 2\n");
  const promptOf = async (...args: string[]) => {
    await place.generate(["--problems", "1/19", "--out", `out${args.join("")}`, ...args]);
    return place.model.questions.at(-1)?.messages[0]?.content ?? "";
  };
  expect(await promptOf()).not.toContain("An example");
  expect((await promptOf("--examples", "one", "--backend", "triton")).match(/An example/g)).toHaveLength(1);
  expect(await promptOf("--backend", "hip", "--example", "model.py=kernel.py")).toContain("class ModelNew: mine = 2");
});

test("--key-env names the variable of the key, and --max-tokens limits the answer", async () => {
  await using place = await bench();
  const { code, err } = await place.generate(["--problems", "1/19", "--key-env", "MY_KEY", "--max-tokens", "500"], {
    env: { OPENAI_API_KEY: "another", MY_KEY: KEY },
  });
  expect([err, code]).toEqual(["", 0]);
  expect(place.model.keys).toEqual([`Bearer ${KEY}`]);
  expect(place.model.questions[0]).toMatchObject({ model: "m-1", max_tokens: 500 });
});

test("several samples of a problem are separate requests, with sample 0 of all problems first", async () => {
  await using place = await bench();
  const { out } = await place.generate(["--samples", "2", "--levels", "1", "--concurrency", "1"]);
  const keys = out.split("\n").flatMap((line) => /^(level\S+) /.exec(line)?.[1] ?? []);
  expect(keys).toEqual([
    "level_1_problem_2_sample_0",
    "level_1_problem_19_sample_0",
    "level_1_problem_2_sample_1",
    "level_1_problem_19_sample_1",
  ]);
});

test("the key is neither printed nor stored if the endpoint echoes it", async () => {
  await using place = await bench(({ messages }) =>
    messages[0]?.content.includes("# ReLU") === true
      ? { status: 400, body: { error: { message: `who is ${KEY}?` } } }
      : answered(`\`\`\`\n${KERNEL}# ${KEY}\n\`\`\``),
  );
  const { code, out, err } = await place.generate();
  expect(code).toBe(3);
  expect(place.model.keys).toEqual(Array<string>(3).fill(`Bearer ${KEY}`));
  expect(out).toContain("who is [key]?");
  expect(
    out +
      err +
      place
        .files()
        .map((name) => place.read(`out/${name}`))
        .join("\n"),
  ).not.toContain(KEY);
});

test("Ctrl-C keeps the answers, and the same command resumes", async () => {
  const first = { silent: true };
  await using place = await bench(({ messages }) =>
    first.silent && messages[0]?.content.includes("# Conv") === true ? "silence" : answered(),
  );
  const stopped = await place.generate(["--concurrency", "1"], { interruptAt: "level_1_problem_19" });
  expect(stopped.code).toBe(130);
  expect(stopped.err.replace(/\s+/g, " ")).toContain(
    "Answers so far are in out; to resume, run the same command again",
  );
  expect(place.files()).toHaveLength(3);
  first.silent = false;
  const { code, out } = await place.generate();
  expect(code).toBe(0);
  expect(out).toContain("1 kernel of 3 requested; 2 already existed.\n");
  expect(place.files()).toHaveLength(4);
});

test("--json has kernels, answers without a kernel, and failed requests", async () => {
  await using place = await bench(({ messages }) => {
    const prompt = messages[0]?.content ?? "";
    if (prompt.includes("# ReLU")) return answered("No.");
    return prompt.includes("# Conv") ? { status: 400, body: { error: "too long" } } : answered();
  });
  const { out, err } = await place.generate(["--json"]);
  expect(err).toBe("");
  expect(JSON.parse(out)).toMatchObject({
    folder: "out",
    requested: 3,
    kernels: 1,
    withoutCode: ["level_1_problem_19_sample_0"],
    failed: [{ key: "level_2_problem_1_sample_0", message: "the endpoint returned 400: too long" }],
    usage: { answers: 2, kernels: 1, cost: null },
  });
});

test.each([
  ["no model", ["--model", ""], "--model is required"],
  ["a key in the address", ["--endpoint", "http://me:secret@x/v1"], "--key-env"],
  ["a variable that is not set", ["--key-env", "MY_KEY"], "MY_KEY is not set"],
  ["an unknown problem", ["--problems", "1/7"], "problem 1/7 does not exist: level 1 has 2, from 2 to 19"],
  ["a reserved parameter", ["--parameter", "stream=true"], "--parameter must be NAME=VALUE"],
  ["no address", ["--endpoint", ""], "--endpoint is required"],
  ["an address without a scheme", ["--endpoint", "api.example.org/v1"], "is not a valid endpoint"],
  ["examples for a backend that has none", ["--backend", "hip", "--examples", "one"], "--example MODEL.py=KERNEL.py"],
  ["unknown hardware", ["--hardware", "ZX81"], 'no data sheet for "ZX81"'],
  ["a template without a problem", ["--prompt", "KernelBench/level1/19_ReLU.py"], "has no {{problem}}"],
])("%s is a usage error, and no request is sent", async (_, args, message) => {
  await using place = await bench();
  const { code, err } = await place.generate(args);
  expect(err.replace(/\s+/g, " ")).toContain(message);
  expect(err).not.toContain("secret");
  expect([code, place.model.questions]).toEqual([2, []]);
});
