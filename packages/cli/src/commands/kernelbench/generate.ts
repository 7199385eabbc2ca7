import { z } from "zod";
import { BACKENDS, PRECISIONS, type KernelKey, type Precision } from "@kernelbot/core";
import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../../command/command.ts";
import { EXIT, UsageError } from "../../command/exit.ts";
import { connect } from "../../config/config.ts";
import { positiveInteger } from "../../command/arguments.ts";
import { untilInterrupted } from "../../command/interrupt.ts";
import { API, apiName, APIS, openApi, type ApiName } from "../../kernelbench/model-api.ts";
import { endpointUrl } from "../../kernelbench/endpoint.ts";
import { EXAMPLE_SETS, readExamples } from "../../kernelbench/examples.ts";
import { readCheckout, type CheckoutProblem } from "../../kernelbench/checkout.ts";
import { readBounded } from "../../kernelbench/files.ts";
import { generate, type Generation, type Told, type Wanted } from "../../kernelbench/generate.ts";
import { openGenerationFolder, type Prices } from "../../kernelbench/generation-folder.ts";
import { promptHash, promptMaker, readTemplate } from "../../kernelbench/prompt.ts";
import { selected, type Selection } from "../../kernelbench/problem-selection.ts";
import { openStatusLine } from "../../output/status-line.ts";
import { generationLine, generationLines } from "../../render/generation.ts";
import { terminalOf } from "../../output/terminal.ts";
import { sanitize, jsonDocument } from "../../output/text.ts";

const MAX_SAMPLES = 1000;
const MAX_CONCURRENCY = 256;
const MAX_PROMPT_BYTES = 1_000_000;

export const command = defineCommand({
  name: "kernelbench generate",
  about: "Asks a model for a kernel per problem and sample.",
  positionals: [],
  options: {
    dir: { type: "string", value: "CHECKOUT", help: "The problems: a KernelBench checkout" },
    suite: { type: "string", value: "NAME", help: "The problems: a suite of the server" },
    model: { type: "string", value: "NAME", help: "The model, as the endpoint names it" },
    api: { type: "string", choices: APIS, default: "chat", help: "The API that the model is behind" },
    endpoint: {
      type: "string",
      value: "URL",
      help: "Of the API, such as https://api.example.org/v1; needed for chat only",
    },
    "key-env": {
      type: "string",
      value: "NAME",
      help: "The environment variable with the key, if not that of the API",
    },
    out: {
      type: "string",
      short: "o",
      value: "DIR",
      help: "Where the kernels go; what lies there is not asked for again",
    },
    levels: { type: "string", value: "LIST", help: "Of these levels only, such as 1,2" },
    problems: { type: "string", value: "LIST", help: "These problems only, such as 1/3,1/19" },
    samples: { type: "string", value: "N", default: "1", help: "Kernels per problem" },
    backend: { type: "string", choices: BACKENDS, default: "cuda", help: "What to write kernels in" },
    precision: { type: "string", choices: PRECISIONS, help: "What is judged in, if not that of the suite, or fp32" },
    prompt: { type: "string", value: "FILE", help: "A template in place of ours" },
    system: { type: "string", value: "FILE", help: "The system prompt" },
    examples: { type: "string", choices: EXAMPLE_SETS, default: "none", help: "Show examples of answers" },
    example: {
      type: "string",
      multiple: true,
      value: "MODEL=KERNEL",
      help: "Show an example of your own: the files of a module and of its answer",
    },
    hardware: { type: "string", value: "TARGET", help: "Describe a device, such as H100, by its data sheet" },
    temperature: { type: "string", value: "T", help: "If not the endpoint's own" },
    "max-tokens": { type: "string", value: "N", help: "The most tokens of an answer" },
    parameter: { type: "string", multiple: true, value: "NAME=VALUE", help: "Any other parameter of the request" },
    concurrency: { type: "string", value: "N", default: "8", help: "Questions at once" },
    timeout: { type: "string", value: "SECONDS", default: "900", help: "The longest that an answer may take" },
    "price-in": { type: "string", value: "PRICE", help: "Of a million tokens of the prompt" },
    "price-cached": { type: "string", value: "PRICE", help: "Of those read from a cache (--price-in)" },
    "price-out": { type: "string", value: "PRICE", help: "Of a million tokens of the answer" },
    ...JSON_OPTION,
    ...SERVER_OPTION,
  },
  notes: [
    "chat is POST ENDPOINT/chat/completions, with OPENAI_API_KEY if it is set. responses, anthropic and gemini go through the " +
      "packages openai, @anthropic-ai/sdk and @google/genai, which are installed apart, with OPENAI_API_KEY, " +
      "ANTHROPIC_API_KEY and GEMINI_API_KEY.",
    "A template has {{problem}} where the source of the problem goes, and may have {{backend}}, {{precision}}, " +
      "{{hardware}} and {{examples}}.",
    "A VALUE is JSON where it can be, such as --parameter top_p=0.9 or --parameter reasoning_effort=high.",
    "What fails for a while (429, 5xx, no answer, a broken connection) is asked again, when the endpoint says or after a " +
      "growing pause. Ctrl-C keeps what is there; the same command goes on. usage.json has the tokens and the cost.",
    "An answer without a kernel is an answer: it is kept, and asked for again only where its file is deleted.",
    "Exits with 0 where all was answered, with 2 where the endpoint refuses, and with 3 where it failed for some.",
  ],
  run: async (values) => {
    const { json, backend } = values;
    const { api } = values;
    const url = values.endpoint === undefined ? null : endpointUrl(values.endpoint);
    const model = required(values.model, "model");
    const folder = required(values.out, "out");
    const parameters = parametersOf(values);
    const samples = wholeOption(values.samples, "samples", MAX_SAMPLES);
    const concurrency = wholeOption(values.concurrency, "concurrency", MAX_CONCURRENCY);
    const timeoutMs = 1000 * wholeOption(values.timeout, "timeout", 86_400);
    const prices = pricesOf(values);
    const key = keyOf(api, values["key-env"]);
    const ask = await openApi(api, { url, key, timeoutMs }, model, parameters);
    const template = await readTemplate(values.prompt);
    const system = values.system === undefined ? null : await readBounded(values.system, MAX_PROMPT_BYTES);
    const examples = await readExamples(values.examples, backend, values.example);
    const { problems, precision } = await problemsOf(values);
    const parts = { template, system, backend, precision, hardware: values.hardware ?? null, examples };
    const promptFor = promptMaker(parts);

    // Sample 0 of every problem is generated first: it is the one that is scored, and an interrupted generation should
    // have it.
    const wanted = Array.from({ length: samples }, (_, sample) =>
      problems.map(({ source, level, problem }): Wanted => {
        const asked: KernelKey = { level, problem, sample };
        return { ...asked, prompt: promptFor(source) };
      }),
    ).flat();
    const asked = { model, backend, precision, prompt: promptHash(parts), parameters };
    const opened = await openGenerationFolder(folder, asked, apiName(api, url), prices);

    const status = openStatusLine(json);
    const startedMs = Date.now();
    const onChange = (generation: Generation, told?: Told) => {
      status.show(() => generationLine(generation, opened.totals(), Date.now() - startedMs));
      if (told !== undefined) status.tell(sanitize(told.line), told.look);
    };
    const message = `Stopped; what was answered lies in ${folder}, and the same command goes on.`;
    const generation = await untilInterrupted(message, (signal) =>
      generate({
        ask,
        system,
        folder: opened,
        wanted,
        concurrency,
        signal,
        onChange,
      }),
    ).finally(() => status.end());
    const { print, width, style } = terminalOf(process.stdout);
    if (json) process.stdout.write(`${jsonDocument({ folder, ...generation, usage: opened.totals() })}\n`);
    else print(generationLines(sanitize(generation), opened.totals(), folder, { width, style }));
    return generation.failed.length > 0 ? EXIT.platform : EXIT.passed;
  },
});

type Problem = Omit<CheckoutProblem, "fileName">;

async function problemsOf(
  values: Selection & {
    dir: string | undefined;
    suite: string | undefined;
    precision: Precision | undefined;
    server: string | undefined;
  },
): Promise<{ problems: Problem[]; precision: Precision }> {
  const { dir, suite: name, precision, server } = values;
  if ((dir === undefined) === (name === undefined))
    throw new UsageError("say where the problems are: --dir or --suite");
  if (name === undefined) {
    return { problems: selected(await readCheckout(dir ?? ""), values), precision: precision ?? "fp32" };
  }
  const { kernelbench } = (await connect(server)).client;
  const suite = await kernelbench.suite(name);
  const problems: Problem[] = [];
  for (const { level, problem } of selected(suite.problems, values)) {
    const { source } = await kernelbench.problem(name, { level, problem });
    problems.push({ level, problem, source });
  }
  return { problems, precision: precision ?? suite.precision };
}

function required(value: string | undefined, name: string): string {
  if (value !== undefined && value !== "") return value;
  throw new UsageError(`--${name} is missing; see kernelbot kernelbench generate --help`);
}

function wholeOption(text: string, name: string, most: number): number {
  const number = positiveInteger(text, `a whole number for --${name}`);
  if (number > most) throw new UsageError(`--${name} takes at most ${most}`);
  return number;
}

function numberOption(text: string, name: string): number {
  const number = Number(text);
  if (text.trim() !== "" && Number.isFinite(number) && number >= 0) return number;
  throw new UsageError(`--${name} takes a number from 0, not ${JSON.stringify(text)}`);
}

function pricesOf(values: {
  "price-in": string | undefined;
  "price-cached": string | undefined;
  "price-out": string | undefined;
}): Prices | null {
  const { "price-in": input, "price-cached": cached, "price-out": output } = values;
  if (input === undefined && output === undefined && cached === undefined) return null;
  if (input === undefined || output === undefined) throw new UsageError("say both --price-in and --price-out");
  return {
    input: numberOption(input, "price-in"),
    output: numberOption(output, "price-out"),
    cached: numberOption(cached ?? input, "price-cached"),
  };
}

/**
 * Returns the API key from the named variable, else from the API's default variable. A chat endpoint may need no key.
 */
function keyOf(api: ApiName, named: string | undefined): string | undefined {
  const variable = named ?? API[api].keyVariable;
  const key = process.env[variable]?.trim();
  if (key !== undefined && key !== "") {
    if (/^[\x21-\x7e]+$/.test(key)) return key;
    throw new UsageError(`the key in ${variable} has characters that no key has`);
  }
  if (named !== undefined || api !== "chat")
    throw new UsageError(`${variable} is not set; it should have the key of the endpoint`);
  return undefined;
}

function parametersOf(values: {
  api: ApiName;
  temperature: string | undefined;
  "max-tokens": string | undefined;
  parameter: string[];
}): Record<string, unknown> {
  const { api, temperature, "max-tokens": maxTokens } = values;
  return {
    ...(temperature !== undefined && { temperature: numberOption(temperature, "temperature") }),
    ...(maxTokens !== undefined && { [API[api].maxTokens]: positiveInteger(maxTokens, "a number of tokens") }),
    ...Object.fromEntries(values.parameter.map((text) => parameterOf(api, text))),
  };
}

/**
 * Parameters that cannot be set with --parameter: the CLI sets the model itself, and `__proto__` is not a safe key.
 */
const NOT_PARAMETERS = ["model", "__proto__"];

function parameterOf(api: ApiName, text: string): [string, unknown] {
  const [, name, value] = /^(\w+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined || [...NOT_PARAMETERS, ...API[api].ours].includes(name)) {
    throw new UsageError(`--parameter takes NAME=VALUE, such as top_p=0.9, not ${JSON.stringify(text)}`);
  }
  return [name, z.json().safeParse(parsed(value)).data ?? value];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
