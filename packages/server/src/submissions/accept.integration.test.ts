import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { ann, bob, database, useScene } from "@kernelbot/testing/scene.ts";
import { acceptAll } from "./accept.ts";
import { batched } from "./batched.ts";
import { byteaText, type NewSubmission } from "./new-submission.ts";

useScene();

function item(accountId: string, number: number): NewSubmission {
  const source = `# ${number}`;
  const hash = byteaText(createHash("sha256").update(source).digest("hex"));
  return {
    ...{ account_id: accountId, problem: "double", targets: ["cpu"], mode: "test", priority: 0, author_kind: "human" },
    ...{ file_name: "kernel.py", source, code_hash: hash, request_hash: hash, idempotency_key: String(number) },
  };
}

test("submissions of an account that are stored together keep their order", async () => {
  const accounts = [ann.account.id, bob.account.id];
  const items = Array.from({ length: 40 }, (_, n) => item(accounts[n % 2] as string, n));
  const accepted = await acceptAll(database, items);
  const ids = accepted.map((each) => (each.outcome === "created" ? each.submission.id : each.outcome));
  for (const account of [0, 1]) {
    const own = ids.filter((_, n) => n % 2 === account);
    expect(own).toEqual(own.toSorted((a, b) => Number(a) - Number(b)));
  }
});

test("a submission that cannot be stored does not fail those that arrive with it", async () => {
  const accept = batched((items: readonly NewSubmission[]) => acceptAll(database, items), {
    ...{ maxItems: 64, maxCharacters: 1_000, charactersOf: ({ source }: NewSubmission) => source.length },
  });
  const faulty = { ...item(ann.account.id, 1), mode: "nonsense" };
  const outcomes = await Promise.allSettled([
    accept(item(ann.account.id, 0)),
    accept(faulty),
    accept(item(ann.account.id, 2)),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
});
