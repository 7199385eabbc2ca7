import { expect, test } from "vitest";
import { wrongImports } from "./arrows.ts";

test("a room of the server may not import a face", () => {
  expect(wrongImports("packages/server/src/queue/claim.ts", 'import { app } from "../http/app.ts";')).toEqual([
    "packages/server/src/queue/claim.ts: packages/server/src/queue may not import packages/server/src/http (../http/app.ts)",
  ]);
});

test("only the HTTP face imports the site", () => {
  const text = 'import { boardPage } from "@kernelbot/web";';
  expect(wrongImports("packages/server/src/http/pages.ts", text)).toEqual([]);
  expect(wrongImports("packages/cli/src/main.ts", text)).toHaveLength(1);
});

test("the core does not touch the machine, not even by a dynamic import", () => {
  expect(wrongImports("packages/core/src/score.ts", 'await import("node:fs");')).toHaveLength(1);
});

test("data flows from intake to queue to runs to boards, so boards do not import intake", () => {
  expect(
    wrongImports("packages/server/src/boards/boards.ts", 'import { submit } from "../intake/submit.ts";'),
  ).toHaveLength(1);
});
