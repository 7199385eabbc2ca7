import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { ann, bob, database, useScene } from "@kernelbot/testing/scene.ts";
import type { NewSubmission } from "./new-submission.ts";
import { acceptSubmission } from "./submit.ts";

useScene();

function item(accountId: string, number: number): NewSubmission {
  const source = `# ${number}`;
  return {
    accountId,
    board: "double",
    targets: ["cpu"],
    mode: "test",
    fileName: "kernel.py",
    source,
    sourceHash: createHash("sha256").update(source).digest("hex"),
    rivalName: null,
    rivalSource: null,
    rivalHash: null,
    idempotencyKey: String(number),
    requestHash: createHash("sha256").update(source).digest("hex"),
    authorKind: "human",
    model: null,
    licence: null,
    anonymous: null,
    lateEntry: null,
    traceparent: null,
  };
}

test("keeps the order of an account's submissions within a batch", async () => {
  const accounts = [ann.account.id, bob.account.id];
  const made = await Promise.all(
    Array.from({ length: 40 }, async (_, n) => {
      const acceptance = await acceptSubmission(database, item(accounts[n % 2] as string, n));
      if (acceptance.outcome !== "created") throw new Error(acceptance.outcome);
      return acceptance.submissionId;
    }),
  );
  for (const account of [0, 1]) {
    const ids = made.filter((_, n) => n % 2 === account);
    expect(ids).toEqual(ids.toSorted((a, b) => a - b));
  }
});
