import { expect, test } from "vitest";
import { KernelBotError } from "@kernelbot/core";
import { databaseUnavailable } from "./retry.ts";
import { retryAtStart } from "./retry-at-start.ts";

test("a step of the start is repeated while the database is unavailable, and the reason is logged once", async () => {
  const logged: string[] = [];
  const closed = Object.assign(new Error("the connection to the database has ended"), { code: "CONNECTION_CLOSED" });
  const failures: Error[] = [closed, databaseUnavailable(closed)];
  const waiting = new AbortController();
  const result = await retryAtStart(
    () => {
      const failure = failures.shift();
      return failure === undefined ? Promise.resolve(7) : Promise.reject(failure);
    },
    (line) => logged.push(line),
    waiting.signal,
  );
  expect(result).toBe(7);
  expect(logged).toEqual([
    `waiting for the database: ${closed.message}`,
    "waiting for the database: the database is not responding; try again in a moment",
  ]);
});

test("a fault of the step, and a stop, end the start", async () => {
  const fault = new KernelBotError("not_found", "no such account");
  const log = (): void => undefined;
  await expect(retryAtStart(() => Promise.reject(fault), log, new AbortController().signal)).rejects.toBe(fault);
  const down = databaseUnavailable();
  await expect(retryAtStart(() => Promise.reject(down), log, AbortSignal.abort())).rejects.toBe(down);
});
