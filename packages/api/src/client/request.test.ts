import { expect, test } from "vitest";
import { api } from "../api.ts";
import { addressOf, encodeBody } from "./request.ts";

test("path parameters are encoded, and a path keeps its slashes where the contract allows them", () => {
  const board = { params: { board: "a/b", target: "H100 x2" } };
  expect(addressOf(api.boards.get, board)).toBe("/boards/a%2Fb/H100%20x2");
  expect(addressOf(api.datasets.file, { params: { id: "latest", path: "spring/a b.parquet" } })).toBe(
    "/datasets/latest/files/spring/a%20b.parquet",
  );
});

test("a query has a field for each defined value, and repeats the field of a list", () => {
  const params = { board: "double", target: "cpu" };
  expect(addressOf(api.boards.get, { params, query: { revision: 2, unfrozen: undefined } })).toBe(
    "/boards/double/cpu?revision=2",
  );
  expect(addressOf(api.boards.history, { params, query: { entrant: ["ada", "team:1"] } })).toBe(
    "/boards/double/cpu/history?entrant=ada&entrant=team%3A1",
  );
  expect(addressOf(api.boards.history, { params, query: { entrant: [] } })).toBe("/boards/double/cpu/history");
});

test("a body is JSON, a form, or the given text, as the contract says", () => {
  expect(encodeBody(api.tokens.revoke, { params: { id: 1 } })).toEqual({});
  expect(encodeBody(api.invites.claim, { body: { code: "x" } })).toEqual({
    mediaType: "application/json",
    body: '{"code":"x"}',
  });
  expect(encodeBody(api.device.requestCode, { body: { scope: "read submit" } })).toEqual({
    body: new URLSearchParams({ scope: "read submit" }),
  });
  expect(encodeBody(api.kernelbench.validate, { query: { suite: "s" }, body: '{ "a": 1 }' })).toEqual({
    mediaType: "application/json",
    body: '{ "a": 1 }',
  });
});
