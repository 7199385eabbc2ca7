import { Hono } from "hono";
import { pino } from "pino";
import { expect, test } from "vitest";
import { markSocketError } from "../db/retry.ts";
import type { HttpEnv, Services } from "../services.ts";
import { handleErrors } from "./errors.ts";

const refused = () => Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED", syscall: "connect" });

async function responseTo(error: Error): Promise<[number, string]> {
  const app = new Hono<HttpEnv>();
  handleErrors(app, { log: pino({ level: "silent" }) } as unknown as Services);
  app.get("/api/x", () => {
    throw error;
  });
  const response = await app.request("/api/x");
  return [response.status, ((await response.json()) as { detail: string }).detail];
}

test("a connection that another service refuses is not reported as an unavailable database", async () => {
  expect(await responseTo(refused())).toEqual([500, expect.stringContaining("Internal server error")]);
  const ofDatabase = refused();
  markSocketError(ofDatabase);
  expect(await responseTo(ofDatabase)).toEqual([503, "the database is not responding; try again in a moment"]);
});
