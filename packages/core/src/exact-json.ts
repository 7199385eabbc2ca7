/**
 * JSON that says the same to whoever reads it. A parser keeps the last of two members of one name and rounds a number that
 * no double holds, so a text could show a person what its parsed value does not have.
 *
 *     parseExactJson('{"a": 1, "a": 2}')   // throws: "a" stands twice in one object
 */
import { KernelBotError, quote } from "./errors.ts";

/** Deeper than any document of ours; whoever walks through it needs no more of the stack. */
const MAX_DEPTH = 64;
/** More characters than a double needs, in whatever spelling. */
const MAX_NUMBER_LENGTH = 40;
/** A text, a number or a bracket, brace or comma, in what is known to be JSON. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*|[{}[\],]/g;

/**
 * @throws SyntaxError for what is no JSON; KernelBotError `unprocessable` for a name that an object has twice, a number that
 * a double does not hold as it is written, and what is nested too deep.
 */
export function parseExactJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  /** For each object around the token the names so far, for each list null. */
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
  if (names.has(name)) throw inexact(`${quote(name)} stands twice in one object`);
  names.add(name);
}

/** Whether the double that is read from a number is that number, however it is spelled. */
function isHeld(number: string): boolean {
  return number.length <= MAX_NUMBER_LENGTH && decimal(number) === decimal(String(Number(number)));
}

/** A number as its sign, its digits without zeros at either end, and a power of ten: one text for each value. */
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
  return new KernelBotError("unprocessable", `this JSON does not say the same to every reader: ${why}`);
}
