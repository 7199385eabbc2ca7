/** Generates values that a JSON schema accepts, and hostile values. */
import { z } from "zod";
import type { Random } from "./random.ts";

/** The keywords of JSON Schema that the OpenAPI document uses. */
export const Schema = z.looseObject({
  $ref: z.string().optional(),
  type: z.union([z.string(), z.array(z.string())]).optional(),
  format: z.string().optional(),
  pattern: z.string().optional(),
  const: z.unknown().optional(),
  enum: z.array(z.unknown()).optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  minLength: z.number().optional(),
  maxLength: z.number().optional(),
  minItems: z.number().optional(),
  maxItems: z.number().optional(),
  required: z.array(z.string()).optional(),
  get anyOf() {
    return z.array(Schema).optional();
  },
  get oneOf() {
    return z.array(Schema).optional();
  },
  get properties() {
    return z.record(z.string(), Schema).optional();
  },
  get prefixItems() {
    return z.array(Schema).optional();
  },
  get items() {
    return z.union([z.boolean(), Schema]).optional();
  },
  get additionalProperties() {
    return z.union([z.boolean(), Schema]).optional();
  },
});
export type Schema = z.infer<typeof Schema>;
export type Schemas = Readonly<Record<string, Schema>>;

/** Strings and numbers that exist on the server under test. */
export interface Known {
  words: readonly string[];
  numbers: readonly number[];
}

/** Below this depth, optional nesting ends. */
const DEEP = 5;
/** Fixed fields: requests of these tests must not wait for a run. */
const FIXED: Readonly<Record<string, unknown>> = { waitMs: 0 };

/** Generates a value that the schema accepts. */
export function validValue(random: Random, schema: Schema, schemas: Schemas, known: Known, depth = 0): unknown {
  const inner = (part: Schema): unknown => validValue(random, part, schemas, known, depth + 1);
  if (schema.$ref !== undefined) return inner(schemas[schema.$ref.split("/").at(-1) ?? ""] ?? {});
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return random.pick(schema.enum);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return inner(depth > DEEP ? (choices[0] as Schema) : random.pick(choices));
  const type = typeof schema.type === "object" ? random.pick(schema.type) : schema.type;
  switch (type ?? "") {
    case "string":
      return validText(random, schema, known);
    case "integer":
    case "number":
      return validNumber(random, schema, known);
    case "boolean":
      return random.chance(0.5);
    case "null":
      return null;
    case "array": {
      if (schema.prefixItems !== undefined) return schema.prefixItems.map(inner);
      const items = typeof schema.items === "object" ? schema.items : {};
      const least = schema.minItems ?? 0;
      const most = Math.min(schema.maxItems ?? 3, depth > DEEP ? least : least + 3);
      return random.list(least + random.below(most - least + 1), () => inner(items));
    }
    case "object": {
      const { properties = {}, required = [], additionalProperties } = schema;
      const named = Object.entries(properties).filter(([name]) => required.includes(name) || random.chance(0.5));
      const more =
        typeof additionalProperties === "object"
          ? random.list(random.below(3), () => [random.pick(["size", "seed", "x"]), inner(additionalProperties)])
          : [];
      return Object.fromEntries([
        ...named.map(([name, part]) => [name, FIXED[name] ?? inner(part)]),
        ...more,
      ]) as unknown;
    }
    default:
      return random.pick<unknown>(["text", 1, null, true, []]);
  }
}

function validText(random: Random, { format, pattern, minLength = 0, maxLength = 40 }: Schema, known: Known): string {
  if (format === "date-time")
    return random.pick(["2020-01-01T00:00:00Z", "2100-01-01T00:00:00.5Z", "0000-01-01T00:00:00Z"]);
  const rule = pattern === undefined ? undefined : new RegExp(pattern);
  // Codes of both forms, in upper case too, and one that begins as an option does.
  const codes = ["0".repeat(32), "AB".repeat(16), `-${"aZ0_-".repeat(5).slice(0, 21)}`, "A".repeat(22)];
  const texts = [...known.words, ...codes, "a", "0".repeat(64), "profile.0.txt", random.pick(TEXTS)];
  const fitting = texts.filter(
    (text) => (rule?.test(text) ?? true) && text.length >= minLength && text.length <= maxLength,
  );
  return fitting.length > 0 ? random.pick(fitting) : "a".repeat(Math.max(1, minLength));
}

function validNumber(random: Random, { type, minimum, maximum }: Schema, known: Known): number {
  const least = minimum ?? 0;
  const most = maximum ?? Number.MAX_SAFE_INTEGER;
  const fitting = known.numbers.filter((number) => number >= least && number <= most);
  const between = least + random.next() * Math.min(most - least, 1000);
  return random.pick([least, most, ...fitting, ...fitting, type === "integer" ? Math.floor(between) : between]);
}

/** Texts that programs commonly mishandle. */
export const TEXTS: readonly string[] = [
  "",
  " ",
  "\0",
  "a\0b",
  "\ud800",
  "a\udfffb",
  "\u202ehidden",
  "\r\nset-cookie: a=b",
  "../../../etc/passwd",
  "..\\..\\windows",
  "'; drop table account; --",
  "<script>alert(1)</script>",
  "${7*7}{{7*7}}",
  "%00%ff%zz",
  "constructor",
  "__proto__",
  "toString",
  "NaN",
  "Infinity",
  "1e400",
  "-1",
  "9223372036854775808",
  "漢字é😀",
  "a".repeat(300),
  "-".repeat(20_000),
  `${"a".repeat(5_000)}!`,
  " ".repeat(5_000),
];

const NUMBERS = [-1, -0.5, 0.5, 1e308, -1e308, 5e-324, 2 ** 31, 2 ** 32, 2 ** 53, 2 ** 63, 2 ** 64];

/** Generates a value that hardly any schema accepts. */
function hostileValue(random: Random): unknown {
  return random.pick<() => unknown>([
    () => random.pick(TEXTS),
    () => random.pick(NUMBERS),
    () => random.pick([null, true, false, [], {}]),
    () => nested(random.pick([20, 500, 2_500])),
    () => Array.from({ length: random.pick([17, 1_001, 20_000]) }, () => "x"),
    () => Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`key${index}`, index])),
    () => JSON.parse('{"__proto__": {"isAdministrator": true}, "constructor": {"prototype": {}}}') as unknown,
  ])();
}

/** Returns nested arrays. */
function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = [value];
  return value;
}

/** Returns the value with an error in one place: replaced, removed, or added. */
export function broken(random: Random, value: unknown): unknown {
  if (value === null || typeof value !== "object" || random.chance(0.15)) return hostileValue(random);
  if (Array.isArray(value)) {
    const index = random.below(value.length + 1);
    return value.toSpliced(index, 1, index < value.length ? broken(random, value[index]) : hostileValue(random));
  }
  const entries = Object.entries(value) as [string, unknown][];
  const index = random.below(entries.length + 1);
  const [key, inner] = entries[index] ?? [random.pick(TEXTS), null];
  if (index < entries.length && random.chance(0.2)) return Object.fromEntries(entries.toSpliced(index, 1));
  return Object.fromEntries(entries.toSpliced(index, 1, [key, broken(random, inner)]));
}
