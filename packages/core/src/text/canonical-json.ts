/**
 * JSON Canonicalization Scheme, RFC 8785: exactly one text for each JSON value, so that it can be hashed and signed.
 * Numbers and strings are serialised as in ECMAScript (sections 3.2.2.2 and 3.2.2.3); the members of an object are
 * sorted by the UTF-16 code units of their names (3.2.3); there is no whitespace between tokens.
 *
 *     canonicalJson({ b: [1, 2.50], a: "x" })   // {"a":"x","b":[1,2.5]}
 */
import { KernelBotError } from "../errors.ts";

/**
 * Returns the canonical JSON of a value. Members that are undefined are omitted, as in JSON.stringify.
 * @throws KernelBotError `unprocessable` for values without canonical JSON: NaN, infinities, lone surrogates.
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "string") {
    if (!value.isWellFormed()) throw uncanonical("a string with an unpaired surrogate");
    return JSON.stringify(value);
  }
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw uncanonical(`the number ${value}`);
    return JSON.stringify(value);
  }
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value !== "object") throw uncanonical(`a value of type ${typeof value}`);
  const members = Object.entries(value)
    .filter(([, inner]) => inner !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, inner]) => `${canonicalJson(name)}:${canonicalJson(inner)}`);
  return `{${members.join(",")}}`;
}

function uncanonical(what: string): KernelBotError {
  return new KernelBotError("unprocessable", `${what} has no canonical JSON`);
}
