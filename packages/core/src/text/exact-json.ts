/**
 * Parses JSON strictly, so that its text and its parsed value agree. A usual parser keeps the last of two members with
 * the same name and rounds numbers to doubles, so a text could show a person content that the parsed value lacks.
 *
 *     parseExactJson('{"a": 1, "a": 2}')   // throws: "a" occurs twice in the same object
 */
import { KernelBotError, quote } from "../errors.ts";

/** Maximum nesting depth; deeper than any valid document, and safe for recursive functions. */
const MAX_DEPTH = 64;
/** Maximum length of a number; longer than any spelling that a double needs. */
const MAX_NUMBER_LENGTH = 40;
/** Token of valid JSON: string, number, bracket, brace or comma. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*|[{}[\],]/g;

/**
 * Parses JSON that has only one reading.
 * @throws SyntaxError for invalid JSON; KernelBotError `unprocessable` for a duplicate name in an object, a number that
 * does not round-trip through a double, or nesting that is too deep.
 */
export function parseExactJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  /** Enclosing containers of the token: the names seen so far for an object, null for an array. */
  const around: (Set<string> | null)[] = [];
  let last = "";
  for (const [token] of text.matchAll(TOKEN)) {
    const names = around.at(-1) ?? null;
    if (token === "{" || token === "[") around.push(token === "{" ? new Set() : null);
    else if (token === "}" || token === "]") around.pop();
    else if (token.startsWith('"')) {
      if (names !== null && (last === "{" || last === ",")) addName(names, JSON.parse(token) as string);
    } else if (token !== "," && !isHeld(token)) {
      throw inexact(`the number ${token.slice(0, MAX_NUMBER_LENGTH)} is read as ${Number(token)}`);
    }
    if (around.length > MAX_DEPTH) throw inexact(`it is nested more than ${MAX_DEPTH} deep`);
    last = token;
  }
  return value;
}

function addName(names: Set<string>, name: string): void {
  if (names.has(name)) throw inexact(`${quote(name)} occurs twice in the same object`);
  names.add(name);
}

/** Returns whether a number round-trips through a double: parsing and printing it keeps its value in any notation. */
function isHeld(number: string): boolean {
  return number.length <= MAX_NUMBER_LENGTH && decimal(number) === decimal(String(Number(number)));
}

/**
 * Normalises a number to its sign, its digits without leading and trailing zeros, and a power of ten: one text per
 * value.
 */
function decimal(number: string): string | null {
  const parts = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(number);
  if (parts === null) return null;
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = parts;
  const digits = (whole + fraction).replace(/^0+/, "");
  const significant = digits.replace(/0+$/, "");
  if (significant === "") return `${sign}0`;
  return `${sign}${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`;
}

function inexact(why: string): KernelBotError {
  return new KernelBotError("unprocessable", `this JSON is ambiguous: ${why}`);
}
