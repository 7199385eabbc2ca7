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

test("only the first bytes of a response are read and stored", async () => {
  await using receiver = await openReceiver();
  // The response never ends, so reading all of it would time out.
  receiver.answer((response) => response.writeHead(500).write("x".repeat(100_000)));
  expect(await post(receiver)).toEqual({
    status: 500,
    answer: "x".repeat(1000),
    error: "the receiver responded with 500; expected 200 to 299",
  });
});

test.each([
  ["never responds", null, () => undefined],
  ["stops in the middle of its response", 200, (response: { write(text: string): void }) => response.write("x")],
])("a receiver that %s times out", async (_, status, reply) => {
  await using receiver = await openReceiver();
  receiver.answer(reply);
  expect(await post(receiver, 100)).toEqual({ status, answer: null, error: "no complete response within 0.1 s" });
});

test("a refused connection is reported with the system's message", async () => {
  const receiver = await openReceiver();
  await receiver[Symbol.asyncDispose]();
  expect((await post(receiver)).error).toContain("ECONNREFUSED");
});
