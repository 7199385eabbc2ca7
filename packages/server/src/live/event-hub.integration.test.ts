import { beforeEach, expect, test } from "vitest";
import { testDatabase, type TestDatabase } from "@kernelbot/testing/database.ts";
import { claimed, passing, person, reported, runner, submitted } from "@kernelbot/testing/fixtures.ts";
import { TEMPLATE_WITH_PROBLEMS } from "@kernelbot/testing/template.ts";
import { openEventHub, type EventHub } from "./event-hub.ts";
import { readEvents } from "../submissions/views.ts";

let database: TestDatabase;
let hub: EventHub;

beforeEach(async () => {
  database = await testDatabase(TEMPLATE_WITH_PROBLEMS);
  hub = await openEventHub(database);
  return async () => {
    await hub.close();
    await database.close();
  };
});

test("wakes readers when their submission's log has grown, and they find the new events", async () => {
  const box = await runner(database);
  const id = await submitted(database, await person(database, "ann"));
  const run = await claimed(database, box);
  const woken = new Promise<void>((resolve) => {
    hub.subscribe(`submission ${id}`, () => {
      void readEvents(database, id, 0, 99).then((events) => {
        if (events.at(-1)?.event.type === "submission_finished") resolve();
      });
    });
  });
  await reported(database, box, run, passing("test"));
  await woken;
});

test("unsubscribed readers are not woken, others are", async () => {
  let left = 0;
  let stayed = 0;
  hub.subscribe("submission 1", () => (left += 1))();
  const woken = new Promise<void>((resolve) => {
    hub.subscribe("submission 1", () => {
      stayed += 1;
      resolve();
    });
  });
  await database.sql`select pg_notify('change', 'submission 1')`;
  await woken;
  expect([left, stayed]).toEqual([0, 1]);
});

test("wakes all readers after the connection was lost", async () => {
  const woken = new Promise<void>((resolve) => void hub.subscribe("submission 7", resolve));
  await database.sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and query like 'listen%'`;
  await woken;
});
