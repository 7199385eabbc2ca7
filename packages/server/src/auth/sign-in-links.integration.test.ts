import { expect, test } from "vitest";
import { ann, database, root, useScene } from "@kernelbot/testing/scene.ts";
import { readAudit } from "./audit.ts";
import { followLink, createSignInLink, readSignInLink } from "./sign-in-links.ts";
import { authenticateSession } from "./sessions.ts";

useScene();

const BROWSER = { address: "192.0.2.1", userAgent: "Browser/1" };
const TO_ANN = { name: "ann", create: false, hours: 24 };

test("a link signs in once, however often it is viewed", async () => {
  const { secret } = await createSignInLink(database, root, TO_ANN);
  expect(await readSignInLink(database, secret)).toEqual(ann.account);
  expect(await readSignInLink(database, secret)).toEqual(ann.account);
  const tries = await Promise.allSettled([1, 2, 3].map(() => followLink(database, secret, BROWSER)));
  const opened = tries.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
  expect(opened).toHaveLength(1);
  expect((await authenticateSession(database, opened[0] ?? ""))?.account).toEqual(ann.account);
  await expect(readSignInLink(database, secret)).rejects.toThrow("was already used or has expired");
});

test("rejects an expired link", async () => {
  const { secret } = await createSignInLink(database, root, TO_ANN);
  await database.sql`update sign_in_link set expires_at = now()`;
  await expect(followLink(database, secret, BROWSER)).rejects.toMatchObject({ code: "not_found" });
});

test("only administrators create links, and the audit log records them without their secret", async () => {
  await expect(createSignInLink(database, ann, TO_ANN)).rejects.toMatchObject({ code: "forbidden" });
  const { secret } = await createSignInLink(database, root, TO_ANN);
  const log = await readAudit(database, root, { limit: 1 });
  expect(log).toMatchObject([{ act: "sign-in-link", subject: `account ${ann.account.id}` }]);
  expect(JSON.stringify(log)).not.toContain(secret);
});

test("a link can create its account, and rejects a taken or invalid name", async () => {
  const made = await createSignInLink(database, root, { ...TO_ANN, name: "Zoë", create: true });
  expect(made.account.name).toBe("Zoë");
  const link = (name: string, create: boolean) => createSignInLink(database, root, { ...TO_ANN, name, create });
  await expect(link("Ann", true)).rejects.toMatchObject({ code: "conflict" });
  await expect(link("a\u202Eb", true)).rejects.toMatchObject({ code: "unprocessable" });
  await expect(link("anna", false)).rejects.toThrow('account "anna" not found');
});
