/** Files in which organisers write settings: YAML whose keys are those of a schema in snake case, as in `task.yml`. */
import { stringify } from "yaml";
import type { z } from "zod";
import { KernelBotError } from "../errors.ts";
import { yamlFault } from "./yaml-faults.ts";
import { readYaml, type ParsedYaml } from "./yaml.ts";

/**
 * Parses a settings file.
 * @param what What the file describes and an example of a line, for messages.
 * @throws KernelBotError `unprocessable`, with the key and the reason.
 */
export function parseSettingsFile<Schema extends z.ZodObject>(
  schema: Schema,
  { what, example }: { what: string; example: string },
  text: string,
): z.infer<Schema> {
  const broken = (why: string) => new KernelBotError("unprocessable", `invalid ${what}: ${why}`);
  let document: ParsedYaml;
  try {
    document = readYaml(text);
  } catch (error) {
    throw broken(`it is not YAML: ${error instanceof Error ? error.message : String(error)}`);
  }
  const yaml = document.value;
  if (!isMapping(yaml)) throw broken(`write keys such as ${example}`);
  const keys = Object.keys(schema.shape).map(toSnakeCase);
  const unknown = Object.keys(yaml).find((key) => !keys.includes(key));
  if (unknown !== undefined) throw broken(`unknown key ${unknown}; valid keys are ${keys.join(", ")}`);
  const parsed = schema.safeParse(mapKeys(yaml, toCamelCase));
  if (parsed.success) return parsed.data;
  throw broken(
    parsed.error.issues
      .map((issue) => {
        const path = issue.path.map((part) => (typeof part === "string" ? toSnakeCase(part) : part));
        if (issue.code !== "unrecognized_keys") return yamlFault({ ...issue, path }, document);
        return yamlFault(
          { ...issue, path, message: `unknown key ${issue.keys.map(toSnakeCase).join(", ")}` },
          document,
        );
      })
      .join("; "),
  );
}

/** Returns settings as a file that `parseSettingsFile` reads. */
export function formatSettingsFile(settings: unknown): string {
  return stringify(mapKeys(settings, toSnakeCase));
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

/** Returns a document with each of its keys converted. */
function mapKeys(value: unknown, convert: (key: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => mapKeys(item, convert));
  if (!isMapping(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [convert(key), mapKeys(inner, convert)]));
}

/** Converts `ends_at` to `endsAt`. A key that is camel case in the file is not valid, so it is quoted to be reported as unknown. */
function toCamelCase(key: string): string {
  return /[A-Z]/.test(key) ? `"${key}"` : key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function toSnakeCase(key: string): string {
  return key.startsWith('"') ? key : key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
