import { z } from "zod";
import { BACKENDS, PRECISIONS, type KernelKey, type Precision } from "@kernelbot/core";
import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../../command/command.ts";
import { EXIT, UsageError } from "../../command/exit.ts";
import { connect } from "../../config/config.ts";
import { positiveInteger } from "../../command/arguments.ts";
import { untilInterrupted } from "../../command/interrupt.ts";
import { chatApi } from "../../kernelbench/chat-completions.ts";
import { endpointName, endpointUrl } from "../../kernelbench/endpoint.ts";
import { EXAMPLE_SETS, readExamples } from "../../kernelbench/examples.ts";
import { readCheckout, type CheckoutProblem } from "../../kernelbench/checkout.ts";
import { readBounded } from "../../kernelbench/files.ts";
import { generate, type Generation, type EndedRequest, type RequestedKernel } from "../../kernelbench/generate.ts";
import { openGenerationFolder, type Prices } from "../../kernelbench/generation-folder.ts";
import { promptHash, promptMaker, readTemplate } from "../../kernelbench/prompt.ts";
import { selected, type Selection } from "../../kernelbench/problem-selection.ts";
import { openStatusLine } from "../../output/status-line.ts";
import { generationLine, generationLines } from "./generation-lines.ts";
import { terminalOf } from "../../output/terminal.ts";
import { sanitize, jsonDocument } from "../../output/text.ts";

const MAX_SAMPLES = 1000;
const MAX_CONCURRENCY = 256;
const MAX_PROMPT_BYTES = 1_000_000;
/** Default environment variable of the key. */
const KEY_VARIABLE = "OPENAI_API_KEY";

export const command = defineCommand({
  name: "kernelbench generate",
  positionals: [],
  options: {
    dir: { type: "string", value: "CHECKOUT", help: "Read the problems from a KernelBench checkout" },
    suite: { type: "string", value: "NAME", help: "Read the problems from a suite of the server" },
    model: { type: "string", value: "NAME", help: "Name of the model at the endpoint (required)" },
    endpoint: {
      type: "string",
      value: "URL",
      help: "Address of an OpenAI-compatible API, such as https://api.example.org/v1 (required)",
    },
    "key-env": {
      type: "string",
      value: "NAME",
      help: `Environment variable with the API key (default: ${KEY_VARIABLE}, if set)`,
    },
    out: {
      type: "string",
      short: "o",
      value: "DIR",
      help: "Folder for the kernels; existing ones are not generated again (required)",
    },
    levels: { type: "string", value: "LIST", help: "Only these levels, such as 1,2" },
    problems: { type: "string", value: "LIST", help: "Only these problems, such as 1/3,1/19" },
    samples: { type: "string", value: "N", default: "1", help: "Number of kernels per problem" },
    backend: { type: "string", choices: BACKENDS, default: "cuda", help: "Language of the kernels" },
    precision: {
      type: "string",
      choices: PRECISIONS,
      help: "Precision of the inputs (default: that of the suite, or fp32)",
    },
    prompt: { type: "string", value: "FILE", help: "Prompt template (default: the built-in one)" },
    system: { type: "string", value: "FILE", help: "File with the system prompt (default: none)" },
    examples: {
      type: "string",
      choices: EXAMPLE_SETS,
      default: "none",
      help: "Include built-in examples of answers in the prompt",
    },
    example: {
      type: "string",
      multiple: true,
      value: "MODEL=KERNEL",
      help: "Include your own example: files of a module and of its kernel",
    },
    hardware: {
      type: "string",
      value: "TARGET",
      help: "Describe a device in the prompt by its data sheet, such as H100",
    },
    temperature: { type: "string", value: "T", help: "Sampling temperature (default: that of the endpoint)" },
    "max-tokens": {
      type: "string",
      value: "N",
      help: "Maximum number of tokens of an answer (default: that of the endpoint)",
    },
    parameter: { type: "string", multiple: true, value: "NAME=VALUE", help: "Other parameter of the request" },
    concurrency: { type: "string", value: "N", default: "8", help: "Number of parallel requests" },
    timeout: { type: "string", value: "SECONDS", default: "900", help: "Timeout of a request in seconds" },
    "price-in": { type: "string", value: "PRICE", help: "Price per million prompt tokens" },
    "price-cached": {
      type: "string",
      value: "PRICE",
      help: "Price per million cached prompt tokens (default: that of --price-in)",
    },
    "price-out": { type: "string", value: "PRICE", help: "Price per million answer tokens" },
    ...JSON_OPTION,
    ...SERVER_OPTION,
  },
  notes: [
    "A request is POST URL/chat/completions, which OpenAI, Anthropic, Google and most other providers offer.",
    "A template contains {{problem}}, which is replaced by the source of the problem, and optionally {{backend}}, " +
      "{{precision}}, {{hardware}} and {{examples}}.",
    "VALUE is parsed as JSON if possible, such as --parameter top_p=0.9; otherwise it is a string.",
    "Temporary failures (429, 5xx, timeouts, broken connections) are retried after the delay that the endpoint requests, or " +
      "with exponential backoff. After Ctrl-C, run the same command again to resume. usage.json has the tokens and the cost.",
    "An answer without a kernel is kept and not requested again, unless its file is deleted.",
    "Exits with 0 if all requests were answered, 2 if the endpoint rejected the key or the model, and 3 if some failed.",
  ],
  run: async (values) => {
    const { json, backend } = values;
    const url = endpointUrl(required(values.endpoint, "endpoint"));
    const model = required(values.model, "model");
    const folder = required(values.out, "out");
    const parameters = parametersOf(values);
    const samples = integerOption(values.samples, "samples", MAX_SAMPLES);
    const concurrency = integerOption(values.concurrency, "concurrency", MAX_CONCURRENCY);
    const timeoutMs = 1000 * integerOption(values.timeout, "timeout", 86_400);
    const prices = pricesOf(values);
    const key = keyOf(values["key-env"]);
    const ask = chatApi({ url, key, timeoutMs }, { ...parameters, model });
    const template = await readTemplate(values.prompt);
    const system = values.system === undefined ? null : await readBounded(values.system, MAX_PROMPT_BYTES);
    const examples = await readExamples(values.examples, backend, values.example);
    const { problems, precision } = await problemsOf(values);
    const parts = { template, system, backend, precision, hardware: values.hardware ?? null, examples };
    const promptFor = promptMaker(parts);

    // Sample 0 of every problem is generated first: it is the one that is scored, and an interrupted generation should
    // have it.
    const requested = Array.from({ length: samples }, (_, sample) =>
      problems.map(({ source, level, problem }): RequestedKernel => {
        const key: KernelKey = { level, problem, sample };
        return { ...key, prompt: promptFor(source) };
      }),
    ).flat();
    const settings = { model, backend, precision, prompt: promptHash(parts), parameters };
    const opened = await openGenerationFolder(folder, settings, endpointName(url), prices);

    const status = openStatusLine(json);
    const startedMs = Date.now();
    const onChange = (generation: Generation, ended?: EndedRequest) => {
      status.show(() => generationLine(generation, opened.totals(), Date.now() - startedMs));
      if (ended !== undefined) status.log(sanitize(ended.line), ended.isWarning);
    };
    const message = `Interrupted. Answers so far are in ${folder}; to resume, run the same command again.`;
    const generation = await untilInterrupted(message, (signal) =>
      generate({
        ask,
        system,
        folder: opened,
        requested,
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
  if ((dir === undefined) === (name === undefined)) throw new UsageError("use either --dir CHECKOUT or --suite NAME");
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
  throw new UsageError(`--${name} is required; see kernelbot kernelbench generate --help`);
}

function integerOption(text: string, name: string, most: number): number {
  const number = positiveInteger(text, `a positive integer for --${name}`);
  if (number > most) throw new UsageError(`--${name} must be at most ${most}`);
  return number;
}

function numberOption(text: string, name: string): number {
  const number = Number(text);
  if (text.trim() !== "" && Number.isFinite(number) && number >= 0) return number;
  throw new UsageError(`--${name} must be a number of at least 0, not ${JSON.stringify(text)}`);
}

function pricesOf(values: {
  "price-in": string | undefined;
  "price-cached": string | undefined;
  "price-out": string | undefined;
}): Prices | null {
  const { "price-in": input, "price-cached": cached, "price-out": output } = values;
  if (input === undefined && output === undefined && cached === undefined) return null;
  if (input === undefined || output === undefined)
    throw new UsageError("--price-in and --price-out are required together");
  return {
    input: numberOption(input, "price-in"),
    output: numberOption(output, "price-out"),
    cached: numberOption(cached ?? input, "price-cached"),
  };
}

/** Returns the API key from the named variable, else from the default one; undefined if the latter is not set. */
function keyOf(named: string | undefined): string | undefined {
  const variable = named ?? KEY_VARIABLE;
  const key = process.env[variable]?.trim();
  if (key !== undefined && key !== "") {
    if (/^[\x21-\x7e]+$/.test(key)) return key;
    throw new UsageError(`the key in ${variable} has spaces or non-ASCII characters`);
  }
  if (named !== undefined) throw new UsageError(`${variable} is not set; set it to the API key of the endpoint`);
  return undefined;
}

function parametersOf(values: {
  temperature: string | undefined;
  "max-tokens": string | undefined;
  parameter: string[];
}): Record<string, unknown> {
  const { temperature, "max-tokens": maxTokens } = values;
  return {
    ...(temperature !== undefined && { temperature: numberOption(temperature, "temperature") }),
    ...(maxTokens !== undefined && { max_tokens: positiveInteger(maxTokens, "a number of tokens") }),
    ...Object.fromEntries(values.parameter.map(parameterOf)),
  };
}

/**
 * Parameters that cannot be set with --parameter: the CLI sets them itself, they would change the format of the answer,
 * or, as `__proto__`, are not a safe key.
 */
const NOT_PARAMETERS = ["model", "messages", "stream", "n", "__proto__"];

function parameterOf(text: string): [string, unknown] {
  const [, name, value] = /^(\w+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined || NOT_PARAMETERS.includes(name)) {
    throw new UsageError(`--parameter must be NAME=VALUE, such as top_p=0.9, not ${JSON.stringify(text)}`);
  }
  return [name, z.json().safeParse(jsonOrText(value)).data ?? value];
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
