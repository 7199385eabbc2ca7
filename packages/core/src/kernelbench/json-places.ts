/**
 * What JSON.parse does not tell: where a text stops being JSON, and which names stand several times in an object, of which
 * it keeps the last value.
 *
 *     jsonFaults('{"kernels": {"a": 1, "a": 2}}')   // { place: null, repeated: [["kernels", "a"]] }
 */
import { quote } from "../errors.ts";

export interface JsonFaults {
  /** Where the text stops being JSON that can be read, counted from 1, and why; null where it is. */
  place: { line: number; column: number; what: string } | null;
  /** The way to each name that stands several times in the outermost object, or in an object that is its member. */
  repeated: string[][];
}

/** Reads a text once, from front to back. */
export function jsonFaults(text: string): JsonFaults {
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

/** The text cannot be read from where the reader is. */
class Stop extends Error {}

/** Deeper than any document of ours; a parser needs memory for each level, and this one a call. */
const MAX_DEPTH = 64;
/** More than any entry has, whose kernels are a value each. */
const MAX_VALUES = 100_000;
/** In objects deeper than this, names are not counted. */
const COUNTED_DEPTH = 2;

const SPACE = /[ \t\n\r]*/y;
const WORD = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/y;
/** What follows a backslash. */
const ESCAPE = /["\\/bfnrt]|u[\da-fA-F]{4}/y;

/** RFC 8259. */
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

  /** `path`: the names around this value, an empty one for each list. */
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

  /** From one bracket to the other. */
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
      if (Number.isNaN(code)) this.unexpected("the end of a text in double quotes");
      if (code < 0x20)
        throw new Stop("a text has a raw line break, tab or control character; write \\n, \\t or \\u00XX");
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
    const found = code === undefined ? "the text ends" : `${quote(String.fromCodePoint(code))} stands`;
    throw new Stop(`${found} where ${expected} is expected`);
  }
}
