import { expect, test } from "vitest";
import { createClient } from "./client.ts";
import type { LogEvent } from "../submission/event-log.ts";

const SERVER = "http://kernelbot.test:8080";

/** Returns a client whose server gives these responses, one per request, and the recorded requests. */
function scripted(...answers: (() => Response | Promise<Response>)[]) {
  const asked: { url: string; headers: Headers }[] = [];
  const fetch = async (url: string | URL | Request, init?: RequestInit) => {
    asked.push({ url: url as string, headers: new Headers(init?.headers) });
    const answer = answers.shift();
    if (answer === undefined) throw new Error("asked more often than the test knows");
    return answer();
  };
  return { client: createClient({ server: `${SERVER}/`, token: "kb_secret", fetch }), asked };
}

function broken(): never {
  throw new TypeError("fetch failed", { cause: new Error("connect ECONNREFUSED") });
}

/** Returns a stream of events `from` to `to`, whose connection breaks at the end unless it is the last stream. */
function stream(from: number, to: number, last: boolean): Response {
  const events = Array.from({ length: to - from + 1 }, (_, index): LogEvent => {
    const id = from + index;
    const event = last && id === to ? { type: "submission_finished" as const } : { type: "run_cancelled" as const };
    return { id, at: "2026-01-01T00:00:00.000Z", runId: null, attempt: null, event };
  });
  return new Response(events.map((event) => `id: ${event.id}\ndata: ${JSON.stringify(event)}\n\n`).join(""));
}

test("a refusal carries the server's own sentence and code", async () => {
  const { client } = scripted(() =>
    Response.json({ detail: "There is no board “x”.", code: "not_found" }, { status: 404 }),
  );
  await expect(client.board("x", "cpu")).rejects.toMatchObject({
    code: "not_found",
    status: 404,
    message: "There is no board “x”.",
  });
});

test("a server that cannot be reached is named after three tries", async () => {
  const { client, asked } = scripted(broken, broken, broken);
  await expect(client.problems()).rejects.toMatchObject({
    code: "unavailable",
    message: expect.stringMatching(`Cannot reach the server at ${SERVER}/ .*ECONNREFUSED`) as string,
  });
  expect(asked).toHaveLength(3);
});

/** Returns a response whose connection breaks within the body. */
function cutOff(): Response {
  return new Response(
    new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('{"problems": ['));
        controller.error(new TypeError("terminated", { cause: new Error("other side closed") }));
      },
    }),
  );
}

test("an answer that is cut off is asked for again", async () => {
  const { client, asked } = scripted(cutOff, () => Response.json({ problems: [] }));
  expect(await client.problems()).toEqual([]);
  expect(asked).toHaveLength(2);
});

test("a server whose answers are all cut off is one that cannot be reached", async () => {
  const { client } = scripted(cutOff, cutOff, cutOff);
  await expect(client.problems()).rejects.toMatchObject({
    code: "unavailable",
    message: expect.stringMatching(`Cannot reach the server at ${SERVER}/ .*other side closed`) as string,
  });
});

test("a submission whose connection broke is sent again under the same key", async () => {
  const { client, asked } = scripted(broken, () => Response.json({ detail: "no", code: "forbidden" }, { status: 403 }));
  const request = { board: "b", targets: ["cpu"], mode: "test", fileName: "a.py", source: "" } as const;
  await expect(client.submit({ ...request, targets: ["cpu"] })).rejects.toMatchObject({ code: "forbidden" });
  const [first, second] = asked.map(({ headers }) => headers.get("idempotency-key"));
  expect(first).toMatch(/^[0-9a-f-]{36}$/);
  expect(second).toBe(first);
});

test("an answer that is no KernelBot answer says so", async () => {
  const { client } = scripted(() => new Response("<h1>It works!</h1>"));
  await expect(client.submission(1)).rejects.toMatchObject({ code: "unavailable" });
});

test("a reader of events goes on after the last number that it saw, and sees each event once", async () => {
  const { client, asked } = scripted(
    () => stream(1, 3, false),
    broken,
    () => new Response("busy", { status: 503 }),
    () => stream(3, 5, true),
  );
  const seen: number[] = [];
  for await (const { id } of client.events(9)) seen.push(id);
  expect(seen).toEqual([1, 2, 3, 4, 5]);
  expect(asked.map(({ headers }) => headers.get("last-event-id"))).toEqual(["0", "3", "3", "3"]);
});

test("a reader of events that the server refuses does not try again", async () => {
  const { client, asked } = scripted(() =>
    Response.json({ detail: "There is no submission 9.", code: "not_found" }, { status: 404 }),
  );
  await expect(client.events(9).next()).rejects.toMatchObject({ code: "not_found" });
  expect(asked).toHaveLength(1);
});

test("a reader of events ends when it is told to", async () => {
  const stop = new AbortController();
  const { client } = scripted(() => stream(1, 2, false));
  const events = client.events(9, { signal: stop.signal });
  await events.next();
  await events.next();
  const next = events.next();
  stop.abort(new Error("enough"));
  await expect(next).rejects.toThrow("enough");
});
