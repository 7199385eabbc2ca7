import { expect, test } from "vitest";
import { testDatabase } from "@kernelbot/testing/database.ts";
import { ensureOperator } from "./auth/operator.ts";
import { followLink } from "./auth/sign-in-links.ts";
import { authenticateSession } from "./auth/sessions.ts";
import { welcomeText } from "./welcome.ts";

const PRIVATE = {
  ...{ host: "127.0.0.1", proxies: 0, publicUrl: undefined, data: undefined },
  ...{ localRunner: [] as string[], launchers: [] },
};
const LATER = { createdOperator: false, url: "http://127.0.0.1:8080", hasInheritedSocket: false };
const BROWSER = { address: "127.0.0.1", userAgent: "Browser/1" };

const secretIn = (text: string): string => /\/sign-in\/link\?token=([\w-]{43})\n/.exec(text)?.[1] ?? "";

test("concurrent first starts create one operator, and the printed link signs in as it once, within an hour", async () => {
  await using database = await testDatabase();
  const created = await Promise.all([1, 2, 3].map(() => ensureOperator(database)));
  expect(created.filter(Boolean)).toHaveLength(1);
  const text = await welcomeText(database, { ...PRIVATE, host: "0.0.0.0" }, { ...LATER, createdOperator: true });
  const session = await followLink(database, secretIn(text), BROWSER);
  expect(await authenticateSession(database, session)).toMatchObject({
    account: { name: "operator" },
    roles: ["administrator"],
  });
  await expect(followLink(database, secretIn(text), BROWSER)).rejects.toMatchObject({ code: "not_found" });

  const next = await welcomeText(database, PRIVATE, LATER);
  await database.sql`update sign_in_link set expires_at = expires_at - interval '61 minutes'`;
  await expect(followLink(database, secretIn(next), BROWSER)).rejects.toMatchObject({ code: "not_found" });
});

test.each<[what: string, options: Partial<Parameters<typeof welcomeText>[1]>, started?: Partial<typeof LATER>]>([
  ["listens on every interface", { host: "0.0.0.0" }],
  ["has a public URL", { publicUrl: "https://kernels.example.org" }],
  ["is behind a proxy", { proxies: 1 }],
  ["got its socket from a supervisor", {}, { hasInheritedSocket: true }],
])("a later start prints no link if the server %s", async (_, options, started) => {
  await using database = await testDatabase();
  await ensureOperator(database);
  const text = await welcomeText(database, { ...PRIVATE, ...options }, { ...LATER, ...started });
  expect(text).not.toContain("/sign-in/");
  expect(text).toContain("kernelbot-server token");
});

test("prints no link where the operator is no longer an administrator", async () => {
  await using database = await testDatabase();
  await ensureOperator(database);
  expect(secretIn(await welcomeText(database, PRIVATE, LATER))).not.toBe("");
  await database.sql`update account set assigned_roles = '{}'`;
  expect(secretIn(await welcomeText(database, PRIVATE, LATER))).toBe("");
});

test("the link leads to the public URL, and the command names the data directory", async () => {
  await using database = await testDatabase();
  await ensureOperator(database);
  const options = { ...PRIVATE, publicUrl: "https://kernels.example.org", data: "/srv/kernel bot" };
  const text = await welcomeText(database, options, { ...LATER, createdOperator: true });
  expect(text).toContain("https://kernels.example.org/sign-in/link?token=");
  expect(text).toContain(
    'kernelbot-server token --label terminal --scopes submit,read,account,admin --data "/srv/kernel bot")',
  );
});

test("a server without a runner says how to start one", async () => {
  await using database = await testDatabase();
  await ensureOperator(database);
  expect(await welcomeText(database, PRIVATE, LATER)).toContain("No runner has connected yet");
  expect(await welcomeText(database, { ...PRIVATE, localRunner: ["cpu"] }, LATER)).not.toContain("No runner");
});

test("a start says whether this Node.js cannot export datasets, before a competition ends", async () => {
  await using database = await testDatabase();
  const text = (obstacle: string | null) => welcomeText(database, PRIVATE, LATER, obstacle);
  expect(await text("it lacks Zstandard")).toContain(
    "This server cannot export datasets of competitions: it lacks Zstandard.",
  );
  expect(await text(null)).not.toContain("datasets");
});
