/** Fake model behind an OpenAI-compatible endpoint: it answers, refuses, delays or disconnects on demand. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

export interface Question {
  model: string;
  messages: { role: string; content: string }[];
  [parameter: string]: unknown;
}

export interface Reply {
  status?: number;
  headers?: Record<string, string>;
  /** Sent as JSON; a string unchanged. */
  body: unknown;
}

/** `drop` breaks the connection in the middle of an answer, `silence` never answers. */
export type Behaviour = Reply | "drop" | "silence";

interface FakeModel extends AsyncDisposable {
  /** Address of the endpoint. */
  url: string;
  questions: Question[];
  /** Headers `authorization`, in the order of the requests. */
  keys: (string | undefined)[];
  /** Returns the maximum number of concurrent requests. */
  mostAtOnce: () => number;
}

export const KERNEL = "import torch\n\nclass ModelNew(torch.nn.Module):\n    pass\n";

/** Returns an answer with a code block: 10 prompt tokens and 20 completion tokens. */
export function answered(
  content: string | readonly object[] | null = `Here it is:\n\`\`\`python\n${KERNEL}\`\`\``,
  finish = "stop",
): Reply {
  const choices = [{ index: 0, message: { role: "assistant", content }, finish_reason: finish }];
  return { body: { choices, usage: { prompt_tokens: 10, completion_tokens: 20 } } };
}

/** Starts a fake model. @param behave returns the response; `asked` counts requests with the same prompt, from 1 */
export async function startFakeModel(
  behave: (question: Question, calls: number) => Behaviour | Promise<Behaviour>,
): Promise<FakeModel> {
  const questions: Question[] = [];
  const keys: (string | undefined)[] = [];
  let atOnce = 0;
  let most = 0;
  const server = createServer((request, response) => {
    atOnce += 1;
    most = Math.max(most, atOnce);
    response.once("close", () => (atOnce -= 1));
    void text(request).then(async (body) => {
      const question = JSON.parse(body) as Question;
      questions.push(question);
      keys.push(request.headers.authorization);
      const prompt = JSON.stringify(question.messages);
      const calls = questions.filter((each) => JSON.stringify(each.messages) === prompt).length;
      const behaviour =
        `${request.method} ${request.url}` === "POST /v1/chat/completions"
          ? await behave(question, calls)
          : { status: 404, body: { error: { message: "no such route" } } };
      if (behaviour === "silence") return;
      if (behaviour === "drop") {
        response.writeHead(200, { "content-length": "100" });
        response.write("{");
        setImmediate(() => response.destroy());
        return;
      }
      const { status = 200, headers = {}, body: reply } = behaviour;
      response.writeHead(status, { "content-type": "application/json", ...headers });
      response.end(typeof reply === "string" ? reply : JSON.stringify(reply));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    questions,
    keys,
    mostAtOnce: () => most,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
