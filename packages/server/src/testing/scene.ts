/**
 * What most tests of a room begin with: before each test of the file that imports this, a database of its own with the
 * boards `double` and `triple`, two people, an administrator and a runner.
 */
import { beforeEach } from "vitest";
import type { Identity } from "../db/identity.ts";
import { testDatabase, type TestDatabase } from "./database.ts";
import { person, runner, withProblems } from "./fixtures.ts";

export let database: TestDatabase;
export let ann: Identity;
export let bob: Identity;
export let root: Identity;
export let box: Identity;

beforeEach(async () => {
  database = await testDatabase();
  await withProblems(database);
  [ann, bob, root, box] = await Promise.all([
    person(database, "ann"),
    person(database, "bob"),
    person(database, "root", ["submit", "read", "admin"]),
    runner(database),
  ]);
  return () => database.close();
});
