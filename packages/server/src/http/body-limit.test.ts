import { Hono } from "hono";
import { expect, test } from "vitest";
import type { HttpEnv } from "../services.ts";
import { limitBody } from "./body-limit.ts";

test.each([
  ["with its length", (body: string) => ({ body, headers: { "content-length": String(body.length) } })],
  ["in chunks", (body: string) => ({ body: new Blob([body]).stream(), duplex: "half" })],
])("a body %s is refused above the limit of its route", async (_, request) => {
  const app = new Hono<HttpEnv>();
  app.on("POST", "/small", limitBody({ maxBytes: 4, error: "four bytes at most" }));
  app.on("POST", "/:any", async (c) => c.text(await c.req.text()));
  app.onError((error, c) => c.text(error.message, 413));
  const ask = async (path: string, body: string) =>
    (await app.request(path, { method: "POST", ...request(body) })).text();
  expect(await ask("/small", "1234")).toBe("1234");
  expect(await ask("/small", "12345")).toBe("four bytes at most");
  expect(await ask("/other", "12345")).toBe("12345");
});
