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
import { ann, box, database, root } from "@kernelbot/testing/scene.ts";

const rankedOn = (board: string) => submit(database, ann, request({ board, mode: "ranked" }));

test("a closed problem refuses ranked submissions with a sentence, and only these, and only its own", async () => {
  const { closedAt } = await closeProblem(database, root, "double");
  await expect(rankedOn("double")).rejects.toMatchObject({
    code: "conflict",
    message: `the board double was closed at ${closedAt} and takes no ranked submissions any more; the modes test and benchmark go on`,
  });
  for (const mode of ["test", "benchmark"] as const) await submit(database, ann, request({ mode }));
  await rankedOn("triple");
});

test("what is wrong with the targets is said first", async () => {
  await closeProblem(database, root, "double");
  const wrong = request({ mode: "ranked", targets: ["B200"] });
  await expect(submit(database, ann, wrong)).rejects.toThrow("the board double has no target");
});

test("a run that was accepted before still ends and is ranked", async () => {
  await submitted(database, ann, { mode: "ranked" });
  await closeProblem(database, root, "double");
  await reported(database, box, await claimed(database, box), passing("ranked"));
  expect((await readBoard(database, STRANGER, "double", "cpu")).rows).toHaveLength(1);
});

test("closed again, and in another version, it stays closed since the first time", async () => {
  const first = await closeProblem(database, root, "double");
  await syncProblems(database, problemTree({ "set/double": problemFiles((task) => `${task}\nstop: paper\n`) }));
  expect(await closeProblem(database, root, "double")).toEqual(first);
  await expect(rankedOn("double")).rejects.toThrow("was closed");
});

test("closing is for organisers, and stands in the audit log", async () => {
  await expect(closeProblem(database, ann, "double")).rejects.toMatchObject({ code: "forbidden" });
  await closeProblem(database, root, "double");
  const acts = await database.db.selectFrom("audit").select(["account_id", "act", "subject"]).execute();
  expect(acts).toEqual([{ account_id: root.account.id, act: "close", subject: "problem double" }]);
  await expect(database.db.updateTable("audit").set({ act: "open" }).execute()).rejects.toThrow("never changed");
});

test("what does not exist cannot be closed", async () => {
  await expect(closeProblem(database, root, "quadruple")).rejects.toMatchObject({ code: "not_found" });
});
