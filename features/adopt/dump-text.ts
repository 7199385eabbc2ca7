/**
 * Reads the tables and rows in the SQL that `pg_dump` and `pg_restore` write. Everything else in it, such as other
 * statements and commands of `psql`, is passed over.
 */
import { KernelBotError } from "@kernelbot/core";

export interface DumpTable {
  kind: "table";
  name: string;
  columns: { name: string; type: string }[];
}

interface DumpRows {
  kind: "rows";
  name: string;
  columns: string[];
  /** Yields the rows in COPY's text format. All must be read before the next part of the dump. */
  rows(): AsyncGenerator<Buffer>;
}

/** Types of the columns that are adopted. A column of another type is kept as text. */
const TYPE =
  /^(text|integer|bigint|boolean|numeric|jsonb|bytea|timestamp with(out)? time zone|character varying\(\d{1,4}\))(?![\w(])/;
const IDENTIFIER = String.raw`(?:"[a-z_][a-z0-9_]*"|[a-z_][a-z0-9_]*)`;
const CREATE = new RegExp(String.raw`^CREATE TABLE leaderboard\.(${IDENTIFIER}) \($`);
const COLUMN = new RegExp(String.raw`^ {4}(${IDENTIFIER}) (.*)$`);
const COPY = new RegExp(
  String.raw`^COPY leaderboard\.(${IDENTIFIER}) \((${IDENTIFIER}(?:, ${IDENTIFIER})*)\) FROM stdin;$`,
);
const INSERT = new RegExp(String.raw`^INSERT INTO leaderboard\.(${IDENTIFIER}) `);

/** Maximum length of a line that is not a row, in bytes; of a longer one, only the beginning is read. */
const MAX_LINE = 10_000;
const NEWLINE = 10;

export class DumpReader {
  readonly #chunks: AsyncIterator<Buffer, unknown>;
  readonly #tables: ReadonlySet<string>;
  #rest: Buffer = Buffer.alloc(0);

  /** @param tables Names of the tables that are read. */
  constructor(text: AsyncIterable<Buffer>, tables: ReadonlySet<string>) {
    this.#chunks = text[Symbol.asyncIterator]();
    this.#tables = tables;
  }

  /** @throws KernelBotError `bad_request` if the rows of a table are INSERT statements. */
  async *read(): AsyncGenerator<DumpTable | DumpRows> {
    const known = new Map<string, Set<string>>();
    for (let line = await this.#line(); line !== null; line = await this.#line()) {
      const created = nameIn(CREATE.exec(line));
      if (created !== null && this.#tables.has(created) && !known.has(created)) {
        const columns = await this.#columns();
        known.set(created, new Set(columns.map(({ name }) => name)));
        yield { kind: "table", name: created, columns };
      }
      const copied = COPY.exec(line);
      const name = nameIn(copied);
      if (copied !== null && name !== null) {
        const columns = (copied[2] as string).split(", ").map(unquoted);
        const own = known.get(name);
        if (own === undefined || !columns.every((column) => own.has(column))) {
          for await (const _ of this.#rows()) continue;
        } else yield { kind: "rows", name, columns, rows: () => this.#rows() };
      }
      const inserted = nameIn(INSERT.exec(line));
      if (inserted !== null && this.#tables.has(inserted)) {
        throw new KernelBotError(
          "bad_request",
          `--from: the rows of ${inserted} are INSERT statements; make the dump without --inserts`,
        );
      }
    }
  }

  async #columns(): Promise<DumpTable["columns"]> {
    const columns = [];
    for (let line = await this.#line(); line !== null && !line.startsWith(")"); line = await this.#line()) {
      const [, name, rest = ""] = COLUMN.exec(line) ?? [];
      if (name !== undefined) columns.push({ name: unquoted(name), type: TYPE.exec(rest)?.[0] ?? "text" });
    }
    return columns;
  }

  /** Yields whole rows, until the line that ends them. */
  async *#rows(): AsyncGenerator<Buffer> {
    for (;;) {
      const bytes = this.#rest;
      let from = 0;
      for (let to = bytes.indexOf(NEWLINE); to !== -1; to = bytes.indexOf(NEWLINE, from)) {
        if (to - from === 2 && bytes.toString("latin1", from, to) === "\\.") {
          this.#rest = bytes.subarray(to + 1);
          if (from > 0) yield bytes.subarray(0, from);
          return;
        }
        from = to + 1;
      }
      this.#rest = bytes.subarray(from);
      if (from > 0) yield bytes.subarray(0, from);
      if (!(await this.#more()))
        throw new KernelBotError("bad_request", "--from: the dump ends within the rows of a table");
    }
  }

  /** Returns the next line without its end, cut at a maximum length; null at the end of the dump. */
  async #line(): Promise<string | null> {
    let text = "";
    for (;;) {
      const to = this.#rest.indexOf(NEWLINE);
      const part = to === -1 ? this.#rest : this.#rest.subarray(0, to);
      if (text.length < MAX_LINE) text += part.toString("latin1", 0, MAX_LINE);
      this.#rest = this.#rest.subarray(part.length + (to === -1 ? 0 : 1));
      if (to !== -1) return text.replace(/\r$/, "");
      if (!(await this.#more())) return text === "" ? null : text;
    }
  }

  async #more(): Promise<boolean> {
    const next = await this.#chunks.next();
    if (next.done === true) return false;
    this.#rest = this.#rest.length === 0 ? next.value : Buffer.concat([this.#rest, next.value]);
    return true;
  }
}

function nameIn(match: RegExpExecArray | null): string | null {
  return match?.[1] === undefined ? null : unquoted(match[1]);
}

function unquoted(identifier: string): string {
  return identifier.replaceAll('"', "");
}
