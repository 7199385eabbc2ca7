import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { answered, KERNEL, startFakeModel, type Behaviour, type Reply } from "@kernelbot/testing/cli/fake-model.ts";
import { chatApi } from "./chat-completions.ts";
import { generate, type RequestedKernel } from "./generate.ts";
import { openGenerationFolder, type GenerationSettings } from "./generation-folder.ts";

const SETTINGS: GenerationSettings = { model: "m", backend: "cuda", precision: "fp32", prompt: "0", parameters: {} };

/** Generates kernels for `problems` problems of level 1, in a folder that is removed after the test. */
async function bench(behave: Parameters<typeof startFakeModel>[0], problems = 1) {
  const folder = mkdtempSync(join(tmpdir(), "kernelbench-"));
  const model = await startFakeModel(behave);
  const requested = Array.from({ length: problems }, (_, at): RequestedKernel => {
    return { level: 1, problem: at + 1, sample: 0, prompt: `problem ${at + 1}` };
  });
  return {
    folder,
    model,
    files: () =>
      readdirSync(folder, { recursive: true, encoding: "utf8" })
        .filter((name) => name.includes("."))
        .sort(),
    read: (name: string) => readFileSync(join(folder, name), "utf8"),
    async generate(
      options: {
        settings?: GenerationSettings;
        timeoutMs?: number;
        signal?: AbortSignal;
        concurrency?: number;
        onEnded?: (line: string) => void;
      } = {},
    ) {
      const {
        settings = SETTINGS,
        timeoutMs = 60_000,
        signal = new AbortController().signal,
        concurrency = 4,
      } = options;
      return generate({
        ask: chatApi({ url: new URL(model.url), key: undefined, timeoutMs }, { model: "m" }),
        system: null,
        folder: await openGenerationFolder(folder, settings, model.url, { input: 1, cached: 0.1, output: 2 }),
        requested,
        concurrency,
        signal,
        onChange: (_, ended) => ended !== undefined && options.onEnded?.(ended.line),
        pausesMs: [1, 1, 1],
      });
    },
    async [Symbol.asyncDispose]() {
      await model[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true });
    },
  };
}

const tokensOf = (usage: string) => (JSON.parse(usage) as { totals: unknown }).totals;

test("each problem is requested once, with limited concurrency, and its kernel and tokens are saved", async () => {
  const both = Promise.withResolvers<undefined>();
  await using place = await bench(async ({ messages }) => {
    if (messages[0]?.content === "problem 2") both.resolve(undefined);
    await both.promise;
    return answered();
  }, 6);
  const generation = await place.generate({ concurrency: 2 });
  expect(generation).toMatchObject({ requested: 6, before: 0, kernels: 6, withoutCode: [], failed: [], asking: 0 });
  expect(place.model.questions).toHaveLength(6);
  expect(place.model.mostAtOnce()).toBe(2);
  expect(place.files()).toHaveLength(7);
  expect(place.read("level1/level_1_problem_6_sample_0_kernel.py")).toBe(KERNEL);
  const totals = {
    ...{ answers: 6, kernels: 6, refusals: 0, promptTokens: 60, completionTokens: 120 },
    ...{ cachedTokens: null, reasoningTokens: null, withoutUsage: 0, cost: 0.0003 },
  };
  expect(tokensOf(place.read("usage.json"))).toEqual(totals);
});

test.each<[string, Behaviour]>([
  ["too many questions", { status: 429, headers: { "retry-after": "0" }, body: { error: { message: "slow down" } } }],
  ["a failing server", { status: 503, body: "<html>down</html>" }],
  ["a broken connection", "drop"],
  ["an error of the gateway in an answer with status 200", { body: { error: { message: "upstream", code: 502 } } }],
])("%s is retried", async (_, failure) => {
  await using place = await bench((_, calls) => (calls < 3 ? failure : answered()));
  expect(await place.generate()).toMatchObject({ kernels: 1, failed: [] });
  expect(place.model.questions).toHaveLength(3);
});

test("a delay requested for one request applies to all requests", async () => {
  const at = new Map<string, number>();
  await using place = await bench(({ messages }, calls) => {
    const prompt = messages[0]?.content ?? "";
    at.set(prompt, performance.now());
    if (prompt === "problem 1" && calls === 1) return { status: 429, headers: { "retry-after": "0.2" }, body: {} };
    return answered();
  }, 2);
  const before = performance.now();
  await place.generate({ concurrency: 1 });
  expect((at.get("problem 1") ?? 0) - before).toBeGreaterThan(190);
});

test("a timed-out request is retried and reported with the timeout", async () => {
  await using place = await bench(() => "silence");
  const { failed } = await place.generate({ timeoutMs: 50 });
  expect(failed).toEqual([{ key: "level_1_problem_1_sample_0", message: "no response within 0.05 s (4 attempts)" }]);
});

test("a requested delay of an hour is a failure", async () => {
  await using place = await bench(() => ({ status: 429, headers: { "retry-after": "3600" }, body: {} }));
  const { failed } = await place.generate();
  expect(failed[0]?.message).toBe("the endpoint returned 429: {}; it requests a delay of 60 min 00 s");
});

test("a rejected request is not retried, and others continue", async () => {
  await using place = await bench(
    ({ messages }) =>
      messages[0]?.content === "problem 2"
        ? { status: 400, body: { error: { message: "the prompt is\u001b[31m too long" } } }
        : answered(),
    3,
  );
  const { kernels, failed } = await place.generate();
  expect(kernels).toBe(2);
  expect(failed).toEqual([
    { key: "level_1_problem_2_sample_0", message: "the endpoint returned 400: the prompt is too long" },
  ]);
  expect(place.model.questions).toHaveLength(3);
});

test("a rejected key or model ends the generation", async () => {
  await using place = await bench(() => ({ status: 401, body: { error: { message: "wrong key" } } }), 50);
  await expect(place.generate()).rejects.toThrow(
    "the endpoint rejects the key or the model: the endpoint returned 401: wrong key",
  );
  expect(place.model.questions.length).toBeLessThanOrEqual(4);
});

test("ten consecutive failures end the generation", async () => {
  await using place = await bench(() => ({ status: 422, body: { detail: "no" } }), 50);
  await expect(place.generate()).rejects.toThrow("the endpoint failed 10 consecutive times");
  expect(place.model.questions.length).toBeLessThan(15);
});

test("an answer without a kernel is saved unchanged, counted, and not requested again", async () => {
  await using place = await bench(() => answered("I would rather not."), 2);
  expect((await place.generate()).withoutCode).toEqual(["level_1_problem_1_sample_0", "level_1_problem_2_sample_0"]);
  expect(place.read("level1/level_1_problem_1_sample_0_answer.md")).toBe("I would rather not.");
  expect(tokensOf(place.read("usage.json"))).toMatchObject({ answers: 2, kernels: 0, completionTokens: 40 });
  expect(await place.generate()).toMatchObject({ before: 2, withoutCode: [] });
  expect(place.model.questions).toHaveLength(2);
});

test("a refusal is saved with its text and counted separately from an answer without a kernel", async () => {
  const lines: string[] = [];
  await using place = await bench(({ messages }) => {
    if (messages[0]?.content === "problem 2") return answered("I would rather not.");
    const message = { role: "assistant", content: null, refusal: "I cannot help with that." };
    return {
      body: {
        choices: [{ index: 0, message, finish_reason: "stop" }],
        usage: { prompt_tokens: 10, completion_tokens: 2 },
      },
    };
  }, 2);
  const { withoutCode } = await place.generate({ onEnded: (line) => lines.push(line) });
  expect(withoutCode).toHaveLength(2);
  expect(place.read("level1/level_1_problem_1_sample_0_answer.md")).toBe("Refused: I cannot help with that.");
  expect(lines.sort().map((line) => line.replace(/, [\d.]+ s$/, ""))).toEqual([
    "level_1_problem_1_sample_0  refused: I cannot help with that., 2 tokens",
    "level_1_problem_2_sample_0  no kernel in the answer, 20 tokens",
  ]);
  expect(tokensOf(place.read("usage.json"))).toMatchObject({ answers: 2, refusals: 1 });
});

test("what a model thought is kept next to its kernel", async () => {
  await using place = await bench(() =>
    answered([
      { type: "thinking", thinking: "hm" },
      { type: "text", text: `\`\`\`\n${KERNEL}\`\`\`` },
    ]),
  );
  await place.generate();
  expect(place.read("level1/level_1_problem_1_sample_0_kernel.py")).toBe(KERNEL);
  expect(place.read("level1/level_1_problem_1_sample_0_reasoning.md")).toBe("hm");
});

test("tokens from a cache cost their own price, and reasoning is counted", async () => {
  const usage = {
    ...{ prompt_tokens: 1000, prompt_tokens_details: { cached_tokens: 800 } },
    ...{ completion_tokens: 100, completion_tokens_details: { reasoning_tokens: 60 } },
  };
  await using place = await bench(() => ({ body: { ...(answered().body as object), usage } }));
  await place.generate();
  expect(tokensOf(place.read("usage.json"))).toMatchObject({
    ...{ promptTokens: 1000, cachedTokens: 800, completionTokens: 100, reasoningTokens: 60 },
    cost: (200 * 1 + 800 * 0.1 + 100 * 2) / 1e6,
  });
});

test("the cost of answers without usage is unknown, and not 0", async () => {
  await using place = await bench(({ messages }) => {
    const { choices } = answered().body as { choices: unknown };
    return messages[0]?.content === "problem 1" ? { body: { choices } } : answered();
  }, 2);
  await place.generate();
  expect(tokensOf(place.read("usage.json"))).toMatchObject({ promptTokens: 10, withoutUsage: 1, cost: null });
});

test.each<[string, Reply]>([
  ["an answer that never ends", { body: "x".repeat(9_000_000) }],
  ["an answer that is no chat completion", { body: "<html>hello</html>" }],
])("%s is a failure", async (_, body) => {
  await using place = await bench(() => body);
  const { failed } = await place.generate();
  expect(failed).toHaveLength(1);
  expect(place.files()).toEqual([]);
});

test("existing kernels are not requested again, and tokens add up", async () => {
  await using place = await bench(
    ({ messages }, calls) =>
      messages[0]?.content === "problem 2" && calls === 1 ? { status: 400, body: {} } : answered(),
    3,
  );
  expect(await place.generate()).toMatchObject({ kernels: 2, before: 0 });
  expect(await place.generate()).toMatchObject({ kernels: 1, before: 2, failed: [] });
  expect(place.model.questions).toHaveLength(4);
  expect(tokensOf(place.read("usage.json"))).toMatchObject({ answers: 3, kernels: 3, promptTokens: 30 });
});

test("what is stopped keeps all that was answered", async () => {
  const controller = new AbortController();
  await using place = await bench(({ messages }) => {
    if (messages[0]?.content !== "problem 3") return answered();
    controller.abort();
    return "silence";
  }, 3);
  await expect(place.generate({ signal: controller.signal, concurrency: 1 })).rejects.toThrow();
  expect(place.files()).toEqual([
    "level1/level_1_problem_1_sample_0_kernel.py",
    "level1/level_1_problem_2_sample_0_kernel.py",
    "usage.json",
  ]);
  expect(tokensOf(place.read("usage.json"))).toMatchObject({ answers: 2 });
});

test("kernels of other settings need another folder", async () => {
  await using place = await bench(() => answered());
  await place.generate();
  const other = place.generate({ settings: { ...SETTINGS, parameters: { temperature: 1 } } });
  await expect(other).rejects.toThrow('generated with parameters {}, not {"temperature":1}');
});
