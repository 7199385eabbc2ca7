import { expect, test } from "vitest";
import { startForwardProxy } from "@kernelbot/testing/forward-proxy.ts";
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

test("a proxy is given the checked public address, and never a private one", async () => {
  await using receiver = await openReceiver();
  await using proxy = await startForwardProxy(receiver.port);
  const env = { HTTPS_PROXY: proxy.url };
  const through = (address: string, allowPrivate = false) =>
    send("https://hook.test/x", {}, "{}", {
      allowPrivate,
      env,
      resolver: (_name, _options, callback) => callback(null, [{ address, family: 4 }]),
    });
  await through("93.184.216.34");
  expect(proxy.requests).toEqual(["CONNECT 93.184.216.34:443"]);
  expect((await through("10.0.0.1")).error).toContain('"hook.test" is not a public address');
  expect(proxy.requests).toHaveLength(1);
  // The operator allows private networks, whose names the proxy resolves.
  await through("10.0.0.1", true);
  expect(proxy.requests[1]).toBe("CONNECT hook.test:443");
});
