/** A tool loop of OpenAI's client with `kernelbot mcp`, against a real server and a model that answers what it is given. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import OpenAI from "openai";
import { expect, test } from "vitest";
import { openAgent } from "@kernelbot/testing/cli/agent.ts";
import { environment, workshop } from "@kernelbot/testing/cli/kernelbot.ts";
import { claimWait, MACHINE, passing, reported, runner } from "@kernelbot/testing/fixtures.ts";
import { openTestServer } from "@kernelbot/testing/server-with-problems.ts";

const CALL = { problem: "double", target: "cpu", source: "x = 1\n", fileName: "kernel.py", level: "test" };

type Message = OpenAI.ChatCompletionMessageParam;

/** Starts a model that calls `evaluate` once, and then answers with the result of the tool. */
async function startModel() {
  const requests: OpenAI.ChatCompletionCreateParamsNonStreaming[] = [];
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      requests.push(body as OpenAI.ChatCompletionCreateParamsNonStreaming);
      const last = requests.at(-1)?.messages.at(-1);
      const call = { id: "call_1", type: "function", function: { name: "evaluate", arguments: JSON.stringify(CALL) } };
      const message =
        last?.role === "tool"
          ? { role: "assistant", content: last.content, refusal: null }
          : { role: "assistant", content: null, refusal: null, tool_calls: [call] };
      const choice = {
        index: 0,
        message,
        logprobs: null,
        finish_reason: last?.role === "tool" ? "stop" : "tool_calls",
      };
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ id: "1", object: "chat.completion", created: 0, model: "m", choices: [choice] }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

test("a model evaluates its kernel by the tools of kernelbot mcp, and reads the reward", async () => {
  using place = workshop();
  await using server = await openTestServer({ listening: true });
  await using model = await startModel();
  const env = { KERNELBOT_TOKEN: await server.token("ann") };
  await using agent = await openAgent(environment(place.folder, { server: server.url, env }));
  const openai = new OpenAI({ apiKey: "none", baseURL: model.url });
  const tools = (await agent.client.listTools()).tools.map(({ name, description = "", inputSchema }) => ({
    type: "function" as const,
    function: { name, description, parameters: inputSchema },
  }));

  const box = await runner(server.database);
  const judged = claimWait(server.database, box, {
    ...{ target: "cpu", runner: "box", machine: MACHINE, waitMs: 60_000 },
  }).then((run) => (run === null ? null : reported(server.database, box, run, passing("test"))));

  const messages: Message[] = [{ role: "user", content: "Write a kernel." }];
  let answer: OpenAI.ChatCompletionMessage | undefined;
  do {
    const { choices } = await openai.chat.completions.create({ model: "m", messages, tools });
    answer = choices[0]?.message;
    if (answer === undefined) throw new Error("no answer");
    messages.push(answer);
    for (const call of answer.tool_calls ?? []) {
      if (call.type !== "function") throw new Error(call.type);
      const args = JSON.parse(call.function.arguments) as Record<string, unknown>;
      const { data } = await agent.call(call.function.name, args);
      messages.push({ role: "tool", tool_call_id: call.id, content: JSON.stringify(data) });
    }
  } while (answer.tool_calls !== undefined);

  expect(await judged).not.toBeNull();
  expect(JSON.parse(answer.content ?? "")).toMatchObject({ outcome: "passed", reward: 0.3 });
  const offered = model.requests[0]?.tools?.flatMap((tool) => (tool.type === "function" ? tool.function.name : []));
  expect(offered).toContain("evaluate");
});
