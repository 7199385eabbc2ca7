/** Fake APIs of Anthropic, Gemini and OpenAI (Responses): their streams and errors. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

export interface ApiRequest {
  /** Method and path: `POST /v1/messages`. */
  route: string;
  headers: Record<string, string | string[] | undefined>;
  body: Record<string, unknown>;
}

export interface ApiReply {
  status?: number;
  headers?: Record<string, string>;
  /** Error, sent as JSON. */
  error?: unknown;
  /** Server-sent events, with names if the API uses them. */
  events?: readonly { event?: string; data: unknown }[];
  /** Whether the connection breaks after the events. */
  breaks?: boolean;
}

/** Starts a fake API. @param reply returns the response; `asked` counts the requests, from 1 */
export async function startFakeApi(reply: (request: ApiRequest, calls: number) => ApiReply) {
  const requests: ApiRequest[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const { method = "", url = "", headers } = request;
      const received = { route: `${method} ${url}`, headers, body: JSON.parse(body) as Record<string, unknown> };
      requests.push(received);
      const { status = 200, headers: more = {}, error, events = [], breaks = false } = reply(received, requests.length);
      if (error !== undefined) {
        response.writeHead(status, { "content-type": "application/json", ...more });
        response.end(JSON.stringify(error));
        return;
      }
      response.writeHead(status, { "content-type": "text/event-stream; charset=utf-8", ...more });
      for (const { event, data } of events) {
        response.write(`${event === undefined ? "" : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`);
      }
      if (breaks) setImmediate(() => response.destroy());
      else response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export interface Said {
  text?: string;
  thoughts?: string;
  /** The API's reason why the answer ended. */
  stop?: string;
  /** Refusal instead of a text, if the API has a member for it. */
  refusal?: string;
}

/** 10 new tokens, 5 read from a cache, 3 written to one; 40 generated, 15 of them reasoning. */
export function anthropicReply({ text = "", thoughts = "", stop = "end_turn", refusal }: Said): ApiReply {
  const block = (index: number, start: object, deltas: readonly object[]) => [
    event({ type: "content_block_start", index, content_block: start }),
    ...deltas.map((delta) => event({ type: "content_block_delta", index, delta })),
    event({ type: "content_block_stop", index }),
  ];
  const usage = { input_tokens: 10, cache_creation_input_tokens: 3, cache_read_input_tokens: 5, output_tokens: 1 };
  const message = { id: "msg_1", type: "message", role: "assistant", model: "m", content: [], stop_reason: null };
  return {
    headers: { "request-id": "req_1" },
    events: [
      event({ type: "message_start", message: { ...message, stop_sequence: null, usage } }),
      event({ type: "ping" }),
      ...block(0, { type: "thinking", thinking: "", signature: "" }, [
        { type: "thinking_delta", thinking: thoughts },
        { type: "signature_delta", signature: "c2ln" },
      ]),
      ...block(
        1,
        { type: "text", text: "" },
        halves(text).map((half) => ({ type: "text_delta", text: half })),
      ),
      event({
        type: "message_delta",
        delta: {
          stop_reason: stop,
          stop_sequence: null,
          stop_details: refusal === undefined ? null : { type: "refusal", category: null, explanation: refusal },
        },
        usage: { output_tokens: 40, output_tokens_details: { thinking_tokens: 15 } },
      }),
      event({ type: "message_stop" }),
    ],
  };
}

/** 18 prompt tokens, 5 of them from a cache; 40 generated, 15 of them reasoning. */
export function responsesReply({ text = "", thoughts = "", stop, refusal }: Said): ApiReply {
  const content =
    refusal === undefined ? { type: "output_text", text, annotations: [], logprobs: [] } : { type: "refusal", refusal };
  const response = {
    id: "resp_1",
    object: "response",
    status: stop === undefined ? "completed" : "incomplete",
    incomplete_details: stop === undefined ? null : { reason: stop },
    error: null,
    model: "m",
    output: [
      { id: "rs_1", type: "reasoning", summary: [{ type: "summary_text", text: thoughts }] },
      { id: "msg_1", type: "message", role: "assistant", status: "completed", content: [content] },
    ],
    usage: {
      input_tokens: 18,
      input_tokens_details: { cached_tokens: 5 },
      output_tokens: 40,
      output_tokens_details: { reasoning_tokens: 15 },
      total_tokens: 58,
    },
  };
  return {
    headers: { "x-request-id": "req_1" },
    events: [
      event({ type: "response.created", sequence_number: 0, response: { ...response, output: [], usage: null } }),
      ...halves(text).map((delta, at) =>
        event({
          ...{ type: "response.output_text.delta", item_id: "msg_1", output_index: 1, content_index: 0 },
          ...{ delta, logprobs: [], sequence_number: at + 1 },
        }),
      ),
      event({ type: stop === undefined ? "response.completed" : "response.incomplete", sequence_number: 9, response }),
    ],
  };
}

/** 18 prompt tokens, 5 of them from a cache; 25 of the answer, and 15 of reasoning counted separately. */
export function geminiReply({ text = "", thoughts = "", stop = "STOP", refusal }: Said): ApiReply {
  const [first, second] = halves(text);
  const usageMetadata = {
    ...{ promptTokenCount: 18, cachedContentTokenCount: 5, candidatesTokenCount: 25, thoughtsTokenCount: 15 },
    totalTokenCount: 58,
  };
  const chunk = (parts: readonly object[], more: object = {}) => ({
    data: {
      candidates: [{ content: { parts, role: "model" }, index: 0, ...more }],
      usageMetadata,
      modelVersion: "m",
      responseId: "r",
    },
  });
  if (refusal !== undefined) {
    const { promptTokenCount } = usageMetadata;
    return { events: [{ data: { promptFeedback: { blockReason: refusal }, usageMetadata: { promptTokenCount } } }] };
  }
  return {
    events: [
      chunk([{ text: thoughts, thought: true }]),
      chunk([{ text: first }]),
      chunk([{ text: second }], { finishReason: stop }),
    ],
  };
}

function event(data: { type: string; [member: string]: unknown }): { event: string; data: unknown } {
  return { event: data.type, data };
}

function halves(text: string): [string, string] {
  const middle = Math.floor(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)];
}
