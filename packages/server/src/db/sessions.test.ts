import { expect, test } from "vitest";
import type { Client } from "./client.ts";
import { openSessions } from "./sessions.ts";

test("a caller that waits gets a new connection as soon as one in use ends", async () => {
  const { opened, open } = fakeClients();
  const sessions = openSessions(1, open);
  await sessions.take();
  const next = sessions.take();
  expect(sessions.load()).toEqual({ connections: 1, busy: 1, waiting: 1 });
  opened[0]?.destroy();
  expect(await next).toBe(opened[1]);
  expect(sessions.load()).toEqual({ connections: 1, busy: 1, waiting: 0 });
});

test("an idle connection that ends is neither counted nor used again", async () => {
  const { opened, open } = fakeClients();
  const sessions = openSessions(1, open);
  sessions.giveBack(await sessions.take());
  opened[0]?.destroy();
  expect(sessions.load()).toEqual({ connections: 0, busy: 0, waiting: 0 });
  expect(await sessions.take()).toBe(opened[1]);
});

test("callers that wait are refused when the sessions end while busy, and no connection is opened afterwards", async () => {
  const { opened, open } = fakeClients();
  const sessions = openSessions(1, open);
  const busy = await sessions.take();
  const waiting = expect(sessions.take()).rejects.toMatchObject({ code: "unavailable" });
  await sessions.end();
  await waiting;
  sessions.giveBack(busy);
  await expect(sessions.take()).rejects.toMatchObject({ code: "unavailable" });
  expect(opened).toHaveLength(1);
});

test("a caller gets the error with which its connection cannot be opened", async () => {
  const { opened, open } = fakeClients();
  let isRefused = false;
  const sessions = openSessions(1, (onclose) => {
    if (isRefused) throw new Error("refused");
    return open(onclose);
  });
  await sessions.take();
  const waiting = sessions.take();
  isRefused = true;
  opened[0]?.destroy();
  await expect(waiting).rejects.toThrow("refused");
});

/** Clients without a database, which end when they are destroyed. */
function fakeClients() {
  const opened: Client[] = [];
  const open = (onclose: () => void): Client => {
    const client = { destroy: onclose, end: () => Promise.resolve() } as unknown as Client;
    opened.push(client);
    return client;
  };
  return { opened, open };
}
