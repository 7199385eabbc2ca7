import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { encode, eventStream, message, type Batch } from "./event-stream.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] }));
afterEach(() => void vi.useRealTimers());

/** A log to which the test appends. */
function growing() {
  let length = 0;
  let finished = false;
  let wake: (() => void) | undefined;
  const closing = new AbortController();
  let reads = 0;
  return {
    closing,
    grow(by: number, end = false) {
      length += by;
      finished = end;
      wake?.();
    },
    reads: () => reads,
    subscribed: () => wake !== undefined,
    mayRead: true,
    stream(after = 0) {
      return eventStream({
        read: async (after): Promise<Batch> => {
          reads += 1;
          const ids = Array.from({ length: length - after }, (_, index) => after + index + 1);
          return { bytes: encode(ids.map((id) => `${id};`).join("")), last: Math.max(after, length), finished };
        },
        subscribe: (callback) => {
          wake = callback;
          return () => (wake = undefined);
        },
        after,
        mayRead: async () => this.mayRead,
        closing: closing.signal,
      });
    },
  };
}

const text = ({ value }: ReadableStreamReadResult<Uint8Array>) =>
  value === undefined ? undefined : new TextDecoder().decode(value);

test("sends stored events, then new ones, and ends after the last", async () => {
  const log = growing();
  log.grow(2);
  const reader = log.stream().getReader();
  expect(text(await reader.read())).toBe("1;2;");
  const next = reader.read();
  await expect.poll(() => log.subscribed()).toBe(true);
  log.grow(1, true);
  expect(text(await next)).toBe("3;");
  expect((await reader.read()).done).toBe(true);
  expect(log.subscribed()).toBe(false);
});

test("a reader that reconnects receives the events after its last number", async () => {
  const log = growing();
  log.grow(3, true);
  const reader = log.stream(2).getReader();
  expect(text(await reader.read())).toBe("3;");
  expect((await reader.read()).done).toBe(true);
});

test("reads no events before the connection accepts data", async () => {
  const log = growing();
  log.grow(1);
  log.stream();
  await Promise.resolve();
  expect(log.reads()).toBe(0);
  expect(log.subscribed()).toBe(false);
});

test("sends a comment every 15 seconds on an idle stream", async () => {
  const log = growing();
  const reader = log.stream().getReader();
  const next = reader.read();
  await vi.advanceTimersByTimeAsync(15_000);
  expect(text(await next)).toBe(": keep-alive\n\n");
  await reader.cancel();
});

test("drops a reader that accepts no data for a minute", async () => {
  const log = growing();
  log.grow(1);
  const reader = log.stream().getReader();
  await reader.read();
  await vi.advanceTimersByTimeAsync(60_000);
  await expect(reader.read()).rejects.toThrow("the reader takes nothing");
  expect(log.subscribed()).toBe(false);
});

test("ends an idle stream within a minute after access is lost", async () => {
  const log = growing();
  const reader = log.stream().getReader();
  let next = reader.read();
  log.mayRead = false;
  for (let signs = 0; signs < 3; signs += 1) {
    await vi.advanceTimersByTimeAsync(15_000);
    expect(text(await next)).toBe(": keep-alive\n\n");
    next = reader.read();
  }
  expect((await next).done).toBe(true);
  expect(log.subscribed()).toBe(false);
});

test("ends a busy stream within a minute after access is lost", async () => {
  const log = growing();
  const reader = log.stream().getReader();
  log.mayRead = false;
  let events = 0;
  for (; events < 100; events += 1) {
    log.grow(1);
    if ((await reader.read()).done) break;
    await vi.advanceTimersByTimeAsync(1_000);
  }
  expect(events).toBe(45);
});

test("releases a reader that disconnects", async () => {
  const log = growing();
  const reader = log.stream().getReader();
  const pending = reader.read();
  await expect.poll(() => log.subscribed()).toBe(true);
  await reader.cancel();
  expect((await pending).done).toBe(true);
  expect(log.subscribed()).toBe(false);
});

test("ends streams when the server stops, with randomised retry delays for browsers", async () => {
  const log = growing();
  const reader = log.stream().getReader();
  const next = reader.read();
  await expect.poll(() => log.subscribed()).toBe(true);
  log.closing.abort();
  const { value } = await next;
  const ms = Number(/^retry: (\d+)\n\n$/.exec(new TextDecoder().decode(value))?.[1]);
  expect(ms).toBeGreaterThanOrEqual(100);
  expect(ms).toBeLessThanOrEqual(2000);
  expect((await reader.read()).done).toBe(true);
});

test("encodes a message as one line of ASCII, whatever text it contains", () => {
  const written = message(7, "log", { text: "a\nb\r\u2028é\u{1f600}\u0085" });
  expect(written).toMatch(/^id: 7\nevent: log\ndata: [\x20-\x7e]*\n\n$/);
  expect(JSON.parse(written.split("\n")[2]?.slice(6) ?? "")).toEqual({ text: "a\nb\r\u2028é\u{1f600}\u0085" });
});
