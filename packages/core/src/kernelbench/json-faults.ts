/**
 * Finds what JSON.parse does not report: the position of a syntax error, and duplicate names in an object, of which
 * JSON.parse keeps the last value.
 *
 *     findJsonFaults('{"kernels": {"a": 1, "a": 2}}')   // { place: null, repeated: [["kernels", "a"]] }
 */
import { quote } from "../errors.ts";

export interface JsonFaults {
  /** Line and column, from 1, of the first syntax error, with the reason; null if the text is valid. */
  place: { line: number; column: number; what: string } | null;
  /** Paths of names that occur more than once in the outermost object or in an object that is its member. */
  repeated: string[][];
}

/** Finds syntax errors and duplicate names in one pass. */
export function findJsonFaults(text: string): JsonFaults {
  const reader = new Reader(text);
  try {
    reader.document();
    return { place: null, repeated: reader.repeated };
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    const before = text.slice(0, reader.at);
    const line = before.split("\n").length;
    const place = { line, column: reader.at - before.lastIndexOf("\n"), what: error.message };
    return { place, repeated: reader.repeated };
  }
}

/** Aborts parsing at the reader's position. */
class Stop extends Error {}

/** Maximum nesting depth; deeper than any valid document. Each level needs a function call. */
const MAX_DEPTH = 64;
/** Maximum number of values; more than any entry has, with one value per kernel. */
const MAX_VALUES = 100_000;
/** Depth of objects in which duplicate names are detected. */
const COUNTED_DEPTH = 2;

const SPACE = /[ \t\n\r]*/y;
const WORD = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/y;
/** Escape sequence after a backslash. */
const ESCAPE = /["\\/bfnrt]|u[\da-fA-F]{4}/y;

/** Parser of JSON as defined by RFC 8259. */
class Reader {
  readonly text: string;
  readonly repeated: string[][] = [];
  at = 0;
  private values = 0;

  constructor(text: string) {
    this.text = text;
  }

  document(): void {
    this.value([]);
    this.space();
    if (this.at < this.text.length) this.unexpected("the end");
  }

  /** Parses a value. `path`: names of the enclosing objects; empty strings for arrays. */
  private value(path: readonly string[]): void {
    if (this.values === MAX_VALUES) throw new Stop(`it has more than ${MAX_VALUES} values`);
    this.values += 1;
    this.space();
    const sign = this.text[this.at];
    if (sign === "{" || sign === "[") {
      if (path.length === MAX_DEPTH) throw new Stop(`it is nested more than ${MAX_DEPTH} deep`);
      if (sign === "{") this.object(path);
      else this.members("]", () => this.value([...path, ""]));
    } else if (sign === '"') this.string();
    else if (!this.skip(WORD)) this.unexpected("a value");
  }

  private object(path: readonly string[]): void {
    const counts = new Map<string, number>();
    this.members("}", () => {
      this.space();
      const start = this.at;
      if (this.text[start] !== '"') this.unexpected("a name in double quotes");
      this.string();
      const isCounted = path.length < COUNTED_DEPTH;
      const name = isCounted ? (JSON.parse(this.text.slice(start, this.at)) as string) : "";
      if (isCounted) {
        const count = (counts.get(name) ?? 0) + 1;
        counts.set(name, count);
        if (count === 2) this.repeated.push([...path, name]);
      }
      this.space();
      if (this.text[this.at] !== ":") this.unexpected("a colon");
      this.at += 1;
      this.value([...path, name]);
    });
  }

  /** Parses the members between two brackets. */
  private members(close: "}" | "]", member: () => void): void {
    this.at += 1;
    this.space();
    if (this.text[this.at] !== close) {
      for (;;) {
        member();
        this.space();
        if (this.text[this.at] !== ",") break;
        this.at += 1;
      }
    }
    if (this.text[this.at] !== close) this.unexpected(`a comma or ${close}`);
    this.at += 1;
  }

  private string(): void {
    for (this.at += 1; this.text[this.at] !== '"'; this.at += 1) {
      const code = this.text.charCodeAt(this.at);
      if (Number.isNaN(code)) this.unexpected("a closing double quote");
      if (code < 0x20)
        throw new Stop("a string contains a raw line break, tab or control character; write \\n, \\t or \\u00XX");
      if (code === 0x5c) {
        this.at += 1;
        if (!this.skip(ESCAPE)) this.unexpected('one of " \\ / b f n r t u after a backslash');
        this.at -= 1;
      }
    }
    this.at += 1;
  }

  private space(): void {
    this.skip(SPACE);
  }

  private skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.at;
    const isThere = pattern.test(this.text);
    if (isThere) this.at = pattern.lastIndex;
    return isThere;
  }

  private unexpected(expected: string): never {
    const code = this.text.codePointAt(this.at);
    const found = code === undefined ? "unexpected end" : `unexpected ${quote(String.fromCodePoint(code))}`;
    throw new Stop(`${found}, expected ${expected}`);
  }
}
