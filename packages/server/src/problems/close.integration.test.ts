import { expect, test } from "vitest";
import { STRANGER } from "../auth/visibility.ts";
import { readBoard } from "../boards/boards.ts";
import { submit } from "../submissions/submit.ts";
import {
  claimed,
  passing,
  problemFiles,
  problemTree,
  reported,
  request,
  submitted,
} from "@kernelbot/testing/fixtures.ts";
import { closeProblem } from "./close.ts";
import { syncProblems } from "./sync.ts";
import { ann, box, database, root, useScene } from "@kernelbot/testing/scene.ts";

useScene();

const rankedOn = (board: string) => submit(database, ann, request({ board, mode: "ranked" }));

test("a closed problem rejects ranked submissions with an explanation; other modes and problems are unaffected", async () => {
  const { closedAt } = await closeProblem(database, root, "double");
  await expect(rankedOn("double")).rejects.toMatchObject({
    code: "conflict",
    message: `the board double was closed at ${closedAt} and no longer accepts ranked submissions; modes test and benchmark remain available`,
  });
  for (const mode of ["test", "benchmark"] as const) await submit(database, ann, request({ mode }));
  await rankedOn("triple");
});

test("reports invalid targets first", async () => {
  await closeProblem(database, root, "double");
  const wrong = request({ mode: "ranked", targets: ["B200"] });
  await expect(submit(database, ann, wrong)).rejects.toThrow("the board double has no target");
});

test("a run accepted before closing is still judged and ranked", async () => {
  await submitted(database, ann, { mode: "ranked" });
  await closeProblem(database, root, "double");
  await reported(database, box, await claimed(database, box), passing("ranked"));
  expect((await readBoard(database, STRANGER, "double", "cpu")).rows).toHaveLength(1);
});

test("keeps its first closing time when closed again or in a new version", async () => {
  const first = await closeProblem(database, root, "double");
  await syncProblems(database, problemTree({ "set/double": problemFiles((task) => `${task}\nstop: paper\n`) }));
  expect(await closeProblem(database, root, "double")).toEqual(first);
  await expect(rankedOn("double")).rejects.toThrow("was closed");
});

test("only organisers can close a problem, and the audit log records it", async () => {
  await expect(closeProblem(database, ann, "double")).rejects.toMatchObject({ code: "forbidden" });
  await closeProblem(database, root, "double");
  const acts = await database.db.selectFrom("audit").select(["account_id", "act", "subject"]).execute();
  expect(acts).toEqual([{ account_id: root.account.id, act: "close", subject: "problem double" }]);
  await expect(database.db.updateTable("audit").set({ act: "open" }).execute()).rejects.toThrow("never changed");
});

test("rejects an unknown problem", async () => {
  await expect(closeProblem(database, root, "quadruple")).rejects.toMatchObject({ code: "not_found" });
});
