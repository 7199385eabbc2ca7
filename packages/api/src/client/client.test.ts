import { expect, onTestFinished, test, vi } from "vitest";
import { createClient } from "./client.ts";
import type { LogEvent } from "@kernelbot/core";

const SERVER = "http://kernelbot.test:8080";

/** Returns a client whose server gives these responses, one per request, and the recorded requests. */
function scriptedClient(...responses: (() => Response | Promise<Response>)[]) {
  const requests: { url: string; headers: Headers }[] = [];
  const fetch = async (url: string | URL | Request, init?: RequestInit) => {
    requests.push({ url: url as string, headers: new Headers(init?.headers) });
    const respond = responses.shift();
    if (respond === undefined) throw new Error("more requests than scripted responses");
    return respond();
  };
  return { client: createClient({ server: `${SERVER}/`, token: "kb_secret", fetch }), requests };
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

test("an error response becomes an error with the server's message and code", async () => {
  const { client } = scriptedClient(() =>
    Response.json({ detail: "There is no board “x”.", code: "not_found" }, { status: 404 }),
  );
  await expect(client.board("x", "cpu")).rejects.toMatchObject({
    code: "not_found",
    status: 404,
    message: "There is no board “x”.",
  });
});

test("an unreachable server is reported with its address after three attempts", async () => {
  const { client, requests } = scriptedClient(broken, broken, broken);
  await expect(client.problems()).rejects.toMatchObject({
    code: "unavailable",
    message: expect.stringMatching(`Cannot reach the server at ${SERVER}/ .*ECONNREFUSED`) as string,
  });
  expect(requests).toHaveLength(3);
});

test("the caller may say what to do about a server that cannot be reached", async () => {
  const fetch = () => Promise.reject(new TypeError("fetch failed"));
  const client = createClient({ server: SERVER, fetch, unreachableAdvice: "No server is set." });
  await expect(client.problems()).rejects.toThrow(/^Cannot reach the server at .* No server is set\.$/);
});

test("without a token, a request that needs one says so without a header of HTTP", async () => {
  const detail = "A token is needed: send it as “Authorization: Bearer TOKEN”.";
  const fetch = () => Promise.resolve(Response.json({ detail, code: "unauthorized" }, { status: 401 }));
  await expect(createClient({ server: SERVER, fetch }).submissions()).rejects.toThrow(`${SERVER} requires a token.`);
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

test("a request whose response is truncated is repeated", async () => {
  const { client, requests } = scriptedClient(cutOff, () => Response.json({ problems: [] }));
  expect(await client.problems()).toEqual([]);
  expect(requests).toHaveLength(2);
});

test("a server whose responses are all truncated is reported as unreachable", async () => {
  const { client } = scriptedClient(cutOff, cutOff, cutOff);
  await expect(client.problems()).rejects.toMatchObject({
    code: "unavailable",
    message: expect.stringMatching(`Cannot reach the server at ${SERVER}/ .*other side closed`) as string,
  });
});

test("a submission is repeated with the same idempotency key after a connection failure", async () => {
  const { client, requests } = scriptedClient(broken, () =>
    Response.json({ detail: "no", code: "forbidden" }, { status: 403 }),
  );
  const request = { board: "b", targets: ["cpu"], mode: "test", fileName: "a.py", source: "" } as const;
  await expect(client.submit({ ...request, targets: ["cpu"] })).rejects.toMatchObject({ code: "forbidden" });
  const [first, second] = requests.map(({ headers }) => headers.get("idempotency-key"));
  expect(first).toMatch(/^[0-9a-f-]{36}$/);
  expect(second).toBe(first);
});

const busy = (status: number, retryAfter?: string) => () =>
  Response.json(
    { detail: "busy", code: status === 429 ? "too_many_requests" : "unavailable" },
    { status, ...(retryAfter !== undefined && { headers: { "retry-after": retryAfter } }) },
  );

function useFakeTime(): void {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
  onTestFinished(() => void vi.useRealTimers());
}

test.each([
  [503, "7"],
  [429, "7"],
])("a request that is answered with %i is repeated after the seconds of Retry-After", async (status, seconds) => {
  useFakeTime();
  const { client, requests } = scriptedClient(busy(status, seconds), () => Response.json({ problems: [] }));
  const problems = client.problems();
  await vi.advanceTimersByTimeAsync(6_990);
  expect(requests).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(20);
  expect(await problems).toEqual([]);
});

test("a server that stays unavailable is given up after a minute, with its message", async () => {
  useFakeTime();
  const { client, requests } = scriptedClient(...Array.from({ length: 9 }, () => busy(503, "10")));
  const refused = expect(client.problems()).rejects.toMatchObject({ code: "unavailable", message: "busy" });
  await vi.advanceTimersByTimeAsync(60_000);
  await refused;
  expect(requests).toHaveLength(7);
});

test.each([
  ["a limit of hours", busy(429, "3600")],
  ["a limit without Retry-After", busy(429)],
  ["an error of the server", () => Response.json({ detail: "no", code: "internal" }, { status: 500 })],
])("%s is reported at once", async (_, respond) => {
  const { client, requests } = scriptedClient(respond);
  await expect(client.problems()).rejects.toBeInstanceOf(Error);
  expect(requests).toHaveLength(1);
});

test("a POST that is not idempotent is not repeated after a 503", async () => {
  const { client, requests } = scriptedClient(busy(503, "0"));
  await expect(client.moderation.rerun(1)).rejects.toMatchObject({ code: "unavailable" });
  expect(requests).toHaveLength(1);
});

test("a download is begun again after a 503", async () => {
  const { client } = scriptedClient(busy(503, "0"), () => new Response("bytes"));
  const chunks: Uint8Array[] = [];
  for await (const chunk of client.artifact(1, "trace")) chunks.push(chunk);
  expect(Buffer.concat(chunks).toString()).toBe("bytes");
});

test("an event reader waits as Retry-After says", async () => {
  useFakeTime();
  const { client, requests } = scriptedClient(busy(503, "9"), () => stream(1, 1, true));
  const next = client.events(9).next();
  await vi.advanceTimersByTimeAsync(8_990);
  expect(requests).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(20);
  expect((await next).value).toMatchObject({ id: 1 });
});

test("a POST without an idempotency key is not repeated when its response is lost", async () => {
  const { client, requests } = scriptedClient(broken, () => Response.json({ runs: [] }));
  await expect(client.moderation.rerun(1)).rejects.toMatchObject({ code: "unavailable" });
  expect(requests).toHaveLength(1);
});

test("a POST that is idempotent by its meaning is repeated when its response is lost", async () => {
  const { client, requests } = scriptedClient(cutOff, () => new Response(null, { status: 204 }));
  await client.revokeToken(1);
  expect(requests).toHaveLength(2);
});

test("a response that is not JSON of KernelBot is reported as unavailable", async () => {
  const { client } = scriptedClient(() => new Response("<h1>It works!</h1>"));
  await expect(client.submission(1)).rejects.toMatchObject({ code: "unavailable" });
});

test("an event reader resumes after the last number it received and yields each event once", async () => {
  const { client, requests } = scriptedClient(
    () => stream(1, 3, false),
    broken,
    () => new Response("busy", { status: 503 }),
    () => stream(3, 5, true),
  );
  const seen: number[] = [];
  for await (const { id } of client.events(9)) seen.push(id);
  expect(seen).toEqual([1, 2, 3, 4, 5]);
  expect(requests.map(({ headers }) => headers.get("last-event-id"))).toEqual(["0", "3", "3", "3"]);
});

test("an event reader throws an error response below 500 without retrying", async () => {
  const { client, requests } = scriptedClient(() =>
    Response.json({ detail: "There is no submission 9.", code: "not_found" }, { status: 404 }),
  );
  await expect(client.events(9).next()).rejects.toMatchObject({ code: "not_found" });
  expect(requests).toHaveLength(1);
});

test("an event reader ends when its signal is aborted", async () => {
  const stop = new AbortController();
  const { client } = scriptedClient(() => stream(1, 2, false));
  const events = client.events(9, { signal: stop.signal });
  await events.next();
  await events.next();
  const next = events.next();
  stop.abort(new Error("enough"));
  await expect(next).rejects.toThrow("enough");
});
