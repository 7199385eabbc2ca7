import { openApiDocument } from "@kernelbot/api/openapi";
import { openTestServer } from "@kernelbot/testing/server-with-problems.ts";
import { expect, test } from "vitest";
import { contractsOf } from "../app.ts";
import { FEATURES } from "../features.ts";

const document = openApiDocument(contractsOf(FEATURES)) as { paths: Record<string, Record<string, object>> };

test("every route of the API is described, and nothing else is", async () => {
  await using testServer = await openTestServer();
  const routes = testServer.app.routes
    .filter(({ method, path }) => method !== "ALL" && path.startsWith("/api/v1/") && !path.endsWith("openapi.json"))
    .map(({ method, path }) => `${method} ${path.replace(/:(\w+)(\{\.\+\})?/g, "{$1}")}`);
  const described = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(described.toSorted()).toEqual([...new Set(routes)].toSorted());
});

test("the document that is served is the one that is made of the endpoints", async () => {
  await using testServer = await openTestServer();
  expect(await (await testServer.ask("/api/v1/openapi.json")).json()).toEqual(JSON.parse(JSON.stringify(document)));
});
