/** What is read of the text of a dump, and what is passed over. */
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { expect, test } from "vitest";
import { DumpReader } from "./dump-text.ts";

const DUMP = String.raw`\! touch /tmp/owned
COPY (SELECT 1) TO PROGRAM 'id';
CREATE TABLE leaderboard.user_info (
    id text NOT NULL,
    user_name text,
    created_at timestamp without time zone DEFAULT now(),
    "type" character varying(255) DEFAULT NULL::character varying,
    hash text GENERATED ALWAYS AS (encode(sha256(code), 'hex'::text)) STORED NOT NULL,
    odd leaderboard.a_type DEFAULT evil(),
    CONSTRAINT c CHECK ((id > 0))
);
CREATE TABLE leaderboard.another (
    id integer
);
COPY leaderboard.another (id) FROM stdin;
COPY leaderboard.user_info (id) FROM stdin;
\.
COPY leaderboard.user_info (id, user_name, "type") FROM stdin;
1	ann\n\\.	\N
2	\\! id	\N
\.
SELECT pg_catalog.setval('leaderboard.user_info_id_seq', 2, true);
`;

/** Reads a dump that arrives in chunks of `size` bytes. */
async function read(text: string, size: number) {
  const bytes = Buffer.from(text);
  const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
    bytes.subarray(at * size, (at + 1) * size),
  );
  const found = [];
  for await (const part of new DumpReader(Readable.from(chunks), new Set(["user_info"])).read()) {
    if (part.kind === "table") found.push(part);
    else found.push({ name: part.name, columns: part.columns, rows: (await buffer(part.rows())).toString() });
  }
  return found;
}

test.each([1, 7, 10_000])(
  "tables and rows are read, and no other statement or command, in chunks of %d bytes",
  async (size) => {
    expect(await read(DUMP, size)).toEqual([
      {
        kind: "table",
        name: "user_info",
        columns: [
          { name: "id", type: "text" },
          { name: "user_name", type: "text" },
          { name: "created_at", type: "timestamp without time zone" },
          { name: "type", type: "character varying(255)" },
          { name: "hash", type: "text" },
          { name: "odd", type: "text" },
        ],
      },
      { name: "user_info", columns: ["id", "user_name", "type"], rows: "1\tann\\n\\\\.\t\\N\n2\t\\\\! id\t\\N\n" },
    ]);
  },
);

test("a dump that ends within the rows of a table is refused", async () => {
  await expect(read(DUMP.slice(0, DUMP.lastIndexOf("\\.")), 100)).rejects.toThrow("ends within the rows");
});

test("rows as INSERT statements are refused with what to use", async () => {
  await expect(read("INSERT INTO leaderboard.user_info VALUES ('1');\n", 100)).rejects.toThrow("without --inserts");
});
