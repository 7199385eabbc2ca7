import { expect, test } from "vitest";
import { ROWS_PER_PAGE } from "@kernelbot/web";
import { readTop } from "../first-rows.ts";
import { STRANGER } from "../../auth/visibility.ts";
import { made, useOrganiser } from "@kernelbot/testing/competitions.ts";
import { ranked } from "@kernelbot/testing/fixtures.ts";
import { ann, box, database, useScene } from "@kernelbot/testing/scene.ts";
import { readBoardsAhead } from "./board-pages.ts";

useScene();
useOrganiser();

test("reads the first rows of boards ahead, except those that anonymous viewers may not see", async () => {
  await made({ visibility: "closed" });
  await ranked(database, ann, box, 300);
  await readBoardsAhead(database, new AbortController().signal);
  // This update does not change a revision of the board, so a result with the old time came from the cache.
  await database.sql`update ranking set time_ns = 200`;
  const top = await readTop(database, STRANGER, "double", "cpu", undefined, ROWS_PER_PAGE);
  expect(top?.board.rows.map(({ timeNs }) => timeNs.value)).toEqual([300]);
});
