import postgres from "postgres";
import { expect, test } from "vitest";
import { KernelBotError } from "@kernelbot/core";
import { databaseUnavailable, dispositionOf, hadNoEffect, markSocketError } from "./retry.ts";

const broken = (code: string) => Object.assign(new postgres.PostgresError("x"), { code });
const node = (code: string) => Object.assign(new Error("x"), { code });
function socket<E extends Error>(error: E): E {
  markSocketError(error);
  return error;
}

test.each([
  ["retry", ["57P01", "57P02", "57P03", "08000", "08006", "08P01", "40001", "40P01", "40003"]],
  [
    "unavailable",
    ["53000", "53100", "53200", "53300", "53400", "58000", "58030", "57014", "57P05", "55P03", "25006", "25P03"],
  ],
  ["fault", ["23505", "22021", "42601", "42P01", "40002", "XX000", "XX001", "25P02", "P0001", "53", "408"]],
])("classifies these PostgreSQL errors as %s", (disposition, codes) => {
  expect(codes.map((code) => [code, dispositionOf(broken(code))])).toEqual(codes.map((code) => [code, disposition]));
});

test("a connection that is refused, reset or cannot be resolved may be retried", () => {
  for (const code of ["ECONNREFUSED", "ECONNRESET", "ENOTFOUND", "EAI_AGAIN", "ETIMEDOUT", "CONNECTION_CLOSED"]) {
    expect([code, dispositionOf(socket(node(code)))]).toEqual([code, "retry"]);
  }
});

test("a missing Unix socket is a connection error, and a missing file is not", () => {
  const missing = (syscall: string) => Object.assign(node("ENOENT"), { syscall });
  expect(dispositionOf(socket(missing("connect")))).toBe("retry");
  expect(dispositionOf(missing("open"))).toBe("fault");
});

test("an aborted read of a file, and a connection to another service, do not concern the database", () => {
  for (const code of ["ABORT_ERR", "ECONNREFUSED", "ECONNRESET", "ENOTFOUND", "ETIMEDOUT", "EPIPE"]) {
    const error = Object.assign(node(code), { syscall: "connect" });
    expect([code, dispositionOf(error), hadNoEffect(error)]).toEqual([code, "fault", false]);
  }
});

test("only an error of making the connection or of giving way means that a statement had no effect", () => {
  const refused = socket(Object.assign(node("ECONNREFUSED"), { syscall: "connect" }));
  const reset = socket(Object.assign(node("ECONNRESET"), { syscall: "read" }));
  const everywhere = socket(Object.assign(new AggregateError([refused]), { code: "ECONNREFUSED" }));
  const effectless = [
    refused,
    everywhere,
    socket(node("ABORT_ERR")),
    broken("57P03"),
    broken("40001"),
    broken("40P01"),
  ];
  expect(effectless.map(hadNoEffect)).toEqual(effectless.map(() => true));
  const unknown = [reset, node("CONNECTION_CLOSED"), broken("57P01"), broken("23505"), broken("53100")];
  expect(unknown.map(hadNoEffect)).toEqual(unknown.map(() => false));
});

test("an error that is not from the database is a fault, unless it reports unavailability", () => {
  expect(dispositionOf(new TypeError("x"))).toBe("fault");
  expect(dispositionOf("x")).toBe("fault");
  expect(dispositionOf(new KernelBotError("not_found", "x"))).toBe("fault");
  expect(dispositionOf(databaseUnavailable(broken("53100")))).toBe("unavailable");
});

test("the error for a caller says when to try again, and nothing of the database's own words", () => {
  expect(databaseUnavailable(broken("53100"))).toMatchObject({
    code: "unavailable",
    message: "the database is unavailable; try again in a moment",
    retryAfterS: 5,
  });
});
