import { expect, test } from "vitest";
import { CONTRACTS } from "./api.ts";
import { openApiDocument } from "./openapi.ts";

const document = openApiDocument(CONTRACTS) as {
  openapi: string;
  paths: Record<
    string,
    Record<string, { operationId: string; responses: object; parameters?: { name: string; in: string }[] }>
  >;
  components: { schemas: Record<string, object> };
};

/** Returns every value under a key, at any depth. */
function valuesOf(key: string, value: unknown): unknown[] {
  if (value === null || typeof value !== "object") return [];
  return Object.entries(value as Record<string, unknown>).flatMap(([name, inner]) => [
    ...(name === key ? [inner] : []),
    ...valuesOf(key, inner),
  ]);
}

test("it has the shape of OpenAPI 3.1: references lead somewhere, operations have names, answers and their parameters", () => {
  expect(document.openapi).toBe("3.1.0");
  for (const reference of valuesOf("$ref", document)) {
    expect(Object.keys(document.components.schemas).map((name) => `#/components/schemas/${name}`)).toContain(reference);
  }
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.values(methods).map((operation) => ({ path, ...operation })),
  );
  const names = operations.map(({ operationId }) => operationId);
  expect(new Set(names).size).toBe(names.length);
  for (const { path, parameters = [], responses } of operations) {
    const inPath = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => name);
    expect(parameters.filter((parameter) => parameter.in === "path").map(({ name }) => name)).toEqual(inPath);
    expect(Object.keys(responses)).toContain("default");
    expect(Object.keys(responses).length).toBeGreaterThan(1);
  }
});

test("descriptions of a schema are in the document", () => {
  expect(valuesOf("description", document.paths)).toContain(
    "Repeating a request with the same key returns the first submission",
  );
  expect(valuesOf("description", document.paths)).toContain("Default 50");
});

test("the shapes are those that validate", () => {
  expect(document.components.schemas["SubmitRequest"]).toMatchObject({
    type: "object",
    required: ["board", "targets", "mode", "fileName", "source"],
    properties: { mode: { enum: ["test", "benchmark", "ranked", "profile", "duel", "application"] } },
  });
});
