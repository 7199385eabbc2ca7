/** Generates requests to every route: valid by the OpenAPI document, or with something wrong. */
import { InviteCode } from "@kernelbot/core";
import { z } from "zod";
import type { Random } from "./random.ts";
import { broken, Schema, TEXTS, validValue, type Known, type Schemas } from "./values.ts";

const Parameter = z.object({ name: z.string(), in: z.enum(["path", "query", "header"]), schema: Schema });
const Content = z.record(z.string(), z.object({ schema: Schema.optional() }));
const Operation = z.object({
  parameters: z.array(Parameter).default([]),
  requestBody: z.object({ content: Content }).optional(),
});
/** The parts of the OpenAPI document from which requests are generated. */
export const ApiDocument = z.object({
  paths: z.record(z.string(), z.record(z.string(), Operation)),
  components: z.object({ schemas: z.record(z.string(), Schema) }),
});
export type ApiDocument = z.infer<typeof ApiDocument>;

/** Operation that requests are generated for. */
export interface Way {
  method: string;
  /** Path with parameters in braces. */
  path: string;
  parameters: z.infer<typeof Parameter>[];
  /** Schema of the body by media type; absent for arbitrary bytes. */
  content: z.infer<typeof Content>;
}

export interface Asked {
  method: string;
  path: string;
  headers: [string, string][];
  body: string | Uint8Array<ArrayBuffer> | undefined;
}

export function waysOf({ paths }: ApiDocument): Way[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { parameters, requestBody }]) => ({
      method: method.toUpperCase(),
      path,
      parameters,
      content: requestBody?.content ?? {},
    })),
  );
}

/**
 * Returns the operation of a route that is not in the OpenAPI document: only its path parameters are known, and that it
 * may read a body.
 */
export function wayTo(method: string, route: string): Way {
  const names = Array.from(route.matchAll(/:(\w+)(?:\{[^}]*\})?/g), ([, name = ""]) => name);
  return {
    method,
    path: route.replace(/:(\w+)(?:\{[^}]*\})?/g, "{$1}"),
    parameters: [
      ...names.map((name) => ({ name, in: "path" as const, schema: { type: "string" } })),
      ...["limit", "offset", "leaderboard", "after", "user_id", "leaderboard_name", "force"].map((name) => ({
        name,
        in: "query" as const,
        schema: { type: "string" },
      })),
    ],
    content:
      method === "GET"
        ? {}
        : { "application/json": { schema: UNDESCRIBED }, "multipart/form-data": {}, [FIELDS]: { schema: UNDESCRIBED } },
  };
}

const FIELDS = "application/x-www-form-urlencoded";
const UNDESCRIBED = Schema.parse({
  type: "object",
  properties: {
    code: { type: "string", pattern: z.toJSONSchema(InviteCode).pattern },
    leaderboard: { type: "string" },
    leaderboards: { type: "array", items: { type: "string" } },
    count: { type: "integer", minimum: 1, maximum: 20 },
    directory: { type: "string", minLength: 1 },
    repository: { type: "string" },
    branch: { type: "string" },
    problem_set: { type: "string" },
    force: { type: "boolean" },
    name: { type: "string" },
    label: { type: "string" },
    provider: { type: "string" },
    token: { type: "string" },
  },
});

/** Generates a request to the operation. `wrong` is the probability that a part is made invalid. */
export function requestBy(random: Random, way: Way, schemas: Schemas, known: Known, wrong: number): Asked {
  const make = (schema: Schema): unknown => {
    const value = validValue(random, schema, schemas, known);
    return random.chance(wrong) ? broken(random, value) : value;
  };
  const headers: [string, string][] = [];
  const query: string[] = [];
  let { path } = way;
  for (const { name, in: place, schema } of way.parameters) {
    const text = wordOf(make(schema));
    if (place === "path") path = path.replace(`{${name}}`, random.chance(wrong / 4) ? odd(random) : encoded(text));
    else if (random.chance(0.4)) {
      if (place === "header") headers.push([name, headerText(text)]);
      else query.push(`${name}=${random.chance(wrong / 4) ? odd(random) : encoded(text)}`);
      if (place === "query" && random.chance(wrong / 2)) query.push(query.at(-1) ?? "");
    }
  }
  if (random.chance(wrong / 4)) query.push(`${encoded(random.pick(TEXTS))}=${odd(random)}`);
  if (random.chance(wrong / 8)) path += random.pick(["/", "//", "/..", "/%2e%2e", `/${"a".repeat(10_000)}`, "?", "#a"]);
  if (random.chance(wrong / 4)) headers.push(random.pick(HEADERS));
  const { body, type } = bodyOf(random, way, make, wrong);
  if (type !== undefined) headers.push(["content-type", type]);
  const method = random.chance(wrong / 8) ? random.pick(METHODS) : way.method;
  const address = path + (query.length > 0 ? `?${query.join("&")}` : "");
  return { method, path: address, headers, body: method === "GET" || method === "HEAD" ? undefined : body };
}

function bodyOf(
  random: Random,
  { content }: Way,
  make: (schema: Schema) => unknown,
  wrong: number,
): { body: Asked["body"]; type: string | undefined } {
  const choices = Object.entries(content);
  if (choices.length === 0) return { body: random.chance(wrong / 8) ? "{}" : undefined, type: undefined };
  const [described, { schema }] = random.pick(choices);
  const type = random.chance(wrong / 4) ? random.pick(MEDIA_TYPES) : described;
  if (described === "multipart/form-data") return form(random, wrong, type);
  if (schema === undefined) return { body: "x".repeat(random.pick([0, 1, 10_000])), type };
  const value = make(schema);
  const text = described === FIELDS ? fields(value) : JSON.stringify(value);
  return { body: random.chance(wrong / 4) ? brokenBytes(random, text) : text, type };
}

function fields(value: unknown): string {
  const entries = Object.entries(value ?? {}).map(([name, inner]) => [name, wordOf(inner)]);
  return new URLSearchParams(entries).toString();
}

/** Generates the multipart form of a submission, of which some parts may be invalid. */
function form(random: Random, wrong: number, type: string): { body: Uint8Array<ArrayBuffer>; type: string } {
  const value = (right: string): string => (random.chance(wrong / 2) ? random.pick(TEXTS) : right);
  const part = (name: string, content: string, file?: string): string =>
    `--limit\r\ncontent-disposition: form-data; name="${name}"${file === undefined ? "" : `; filename="${file}"`}\r\n\r\n${content}\r\n`;
  const parts = [
    part("board", value("double")),
    part("target", value("cpu")),
    part("mode", value("test")),
    part("file", value("pass\n"), value("kernel.py")),
  ].filter(() => !random.chance(wrong / 4));
  const text = `${parts.join("")}--limit--\r\n`;
  const bytes = random.chance(wrong / 2) ? brokenBytes(random, text) : new TextEncoder().encode(text);
  return {
    body: bytes,
    type: type === "multipart/form-data" && !random.chance(wrong / 4) ? `${type}; boundary=limit` : type,
  };
}

/** Encodes a text, cut at a random place or with unexpected bytes inserted. */
function brokenBytes(random: Random, text: string): Uint8Array<ArrayBuffer> {
  const bytes = new TextEncoder().encode(text);
  const place = random.below(bytes.length + 1);
  const strange = random.pick([[], [0], [0xff], [0x22], [0xed, 0xa0, 0x80], ...STRANGE]);
  return Uint8Array.from([
    ...bytes.subarray(0, place),
    ...strange,
    ...(random.chance(0.5) ? bytes.subarray(place) : []),
  ]);
}

function wordOf(value: unknown): string {
  if (typeof value === "string") return value;
  return typeof value === "number" ? String(value) : JSON.stringify(value).slice(0, 2_000);
}

function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/** Returns an invalid percent-encoding, or one of a character that a path should not contain. */
function odd(random: Random): string {
  return random.pick([
    "%",
    "%0",
    "%zz",
    "%00",
    "a%00b",
    "%ff",
    "%c0%ae",
    "%2f..%2f",
    "%25",
    "%ed%a0%80",
    "+",
    "",
    "..%5c",
  ]);
}

/** Replaces characters that a header cannot carry by one of ISO 8859-1. */
function headerText(text: string): string {
  return text.replaceAll(/[^\x21-\x7e]/g, "é");
}

const STRANGE = [",NaN,", "-", "{{", "[".repeat(50_000), '{"a":'.repeat(50_000)].map((text) => [...Buffer.from(text)]);
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"];
const MEDIA_TYPES = [
  "",
  "text/plain",
  "application/json; charset=utf-16",
  "multipart/form-data",
  "multipart/form-data; boundary=",
  `multipart/form-data; boundary=${"b".repeat(5_000)}`,
  "application/x-www-form-urlencoded",
  ";;;",
];
const HEADERS: [string, string][] = [
  ["accept", "text/html"],
  ["accept-encoding", "gzip;q=nan, \\"],
  ["if-none-match", '"'.repeat(500)],
  ["last-event-id", "-1"],
  ["last-event-id", "9".repeat(400)],
  ["idempotency-key", "k".repeat(500)],
  ["idempotency-key", "é"],
  ["content-length", "-1"],
  ["content-encoding", "gzip"],
  ["range", "bytes=0-,-1"],
  ["x-forwarded-for", "'"],
  ["x-web-auth-id", "1"],
  ["x-popcorn-cli-id", "kb_"],
  ["cookie", "a=b; ".repeat(500)],
];
