import { sql } from "kysely";
import { expect, test } from "vitest";
import { testDatabase } from "@kernelbot/testing/database.ts";

test.each([[[]], [["cpu", "H100"]], [['a "b"', "c,d", "{e}", "f\\g", "", "NULL", "h\ni"]]])(
  "the texts %j are read from the database unchanged",
  async (texts) => {
    await using database = await testDatabase();
    const { rows } = await sql`select ${texts}::text[] as texts`.execute(database.db);
    expect(rows).toEqual([{ texts }]);
  },
);
