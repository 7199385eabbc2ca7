import { expect, test } from "vitest";
import { openReceiver, type Receiver } from "@kernelbot/testing/receiver.ts";
import { send } from "./send.ts";

const post = (receiver: Receiver, timeoutMs?: number) =>
  send(receiver.url, {}, "{}", { allowPrivate: true, ...(timeoutMs === undefined ? {} : { timeoutMs }) });

test("a redirect is not followed", async () => {
  await using receiver = await openReceiver();
  await using elsewhere = await openReceiver();
  receiver.answer((response) => response.writeHead(307, { location: elsewhere.url }).end());
  const { status, error } = await post(receiver);
  expect(status).toBe(307);
  expect(error).toContain("redirects are not followed");
  expect(elsewhere.received).toEqual([]);
});

test("of an answer its head is kept, and no more is read", async () => {
  await using receiver = await openReceiver();
  // The response never ends, so reading all of it would time out.
  receiver.answer((response) => response.writeHead(500).write("x".repeat(100_000)));
  expect(await post(receiver)).toEqual({
    status: 500,
    answer: "x".repeat(1000),
    error: "it answered 500; any of 200 to 299 would take it",
  });
});

test.each([
  ["never answers", null, () => undefined],
  ["stops in the middle of its answer", 200, (response: { write(text: string): void }) => response.write("x")],
])("one that %s is left after the time that a try may take", async (_, status, reply) => {
  await using receiver = await openReceiver();
  receiver.answer(reply);
  expect(await post(receiver, 100)).toEqual({ status, answer: null, error: "there was no whole answer within 0.1 s" });
});

test("one that nobody listens behind is told as what the network said", async () => {
  const receiver = await openReceiver();
  await receiver[Symbol.asyncDispose]();
  expect((await post(receiver)).error).toContain("ECONNREFUSED");
});
