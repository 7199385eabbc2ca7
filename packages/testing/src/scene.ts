/**
 * Common fixtures of tests with a database: two participants, an administrator and a runner.
 *
 *     useScene();
 *     test("…", async () => { await submitted(database, ann); … });
 */
import { beforeEach } from "vitest";
import type { Identity } from "@kernelbot/server/src/auth/identity.ts";
import { testDatabase, type TestDatabase } from "./database.ts";
import { person, runner } from "./fixtures.ts";
import { TEMPLATE_WITH_PROBLEMS } from "./template.ts";

export let database: TestDatabase;
export let ann: Identity;
export let bob: Identity;
export let root: Identity;
export let box: Identity;

/** Creates, before each test of the calling file, a database with the boards `double` and `triple`, and the accounts. */
export function useScene(): void {
  beforeEach(async () => {
    database = await testDatabase(TEMPLATE_WITH_PROBLEMS);
    [ann, bob, root, box] = await Promise.all([
      person(database, "ann"),
      person(database, "bob"),
      person(database, "root", ["submit", "read", "admin"]),
      runner(database),
    ]);
    return () => database.close();
  });
}
