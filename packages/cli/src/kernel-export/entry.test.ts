import { expect, test } from "vitest";
import { boardRow, interval, problem, submission } from "@kernelbot/testing/cli/samples.ts";
import type { Connection } from "../config/config.ts";
import { entryOf } from "./entry.ts";

test.each([
  [null, "a moderator confirms it by a re-run: kernelbot admin rerun --submission 12"],
  [{ runId: 5, timeNs: interval(9_900) }, "its problem requires that its kernel is validated in use"],
])("a provisional entry is not exported, with what confirms it", async (enteredBy, remedy) => {
  const rows = [boardRow(1, "ada", { submissionId: 12, enteredBy })];
  const entry = entryOf({ client: {} as Connection["client"], server: "" }, submission([], { licence: "MIT" }), {
    ...{ target: "cpu", problem: problem(), rows },
  });
  await expect(entry).rejects.toThrow(`its entry is provisional; ${remedy}`);
});
