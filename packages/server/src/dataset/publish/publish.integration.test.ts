import { createHash } from "node:crypto";
import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, inject, test } from "vitest";
import type { Publication } from "@kernelbot/core";
import { PublicationError } from "@kernelbot/dataset";
import { openDirectoryStore } from "../../artifacts/directory.ts";
import type { Identity } from "../../auth/identity.ts";
import { json } from "../../db/json.ts";
import { testDatabase, type TestDatabase } from "@kernelbot/testing/database.ts";
import { startFakeHub } from "@kernelbot/testing/fake-hub.ts";
import { person } from "@kernelbot/testing/fixtures.ts";
import { snapshotFiles } from "@kernelbot/testing/snapshot-files.ts";
import { openHuggingFace } from "../../integrations/huggingface/hugging-face.ts";
import { openObjectStoreDestination } from "./object-store.ts";
import type { Destination } from "./destination.ts";
import { requestPublication } from "./publications.ts";
import { publishSnapshots } from "./publish.ts";

const FOREVER = new AbortController().signal;
const LATER = new Date(Date.now() + 3_600_000);
const MUCH_LATER = new Date(Date.now() + 24 * 3_600_000);

let database: TestDatabase;
let admin: Identity;
beforeAll(async () => {
  database = await testDatabase();
  admin = await person(database, "root", ["admin"]);
  return () => database.close();
});

let directory: string;
beforeEach(async () => {
  await database.sql`truncate dataset_publication, dataset_snapshot restart identity cascade`;
  directory = await mkdtemp(join(inject("scratch"), "snapshots-"));
});

/** Creates a ready snapshot with files. @returns its id. */
async function ready(
  database: TestDatabase,
  competitions: readonly string[] = ["spring"],
  contents: Record<string, string> = {},
): Promise<number> {
  const { id } = await database.db
    .insertInto("dataset_snapshot")
    .values({ competitions: [...competitions] })
    .returning("id")
    .executeTakeFirstOrThrow();
  await finish(database, id, competitions, contents);
  return id;
}

/** Marks a snapshot as ready and writes its files. */
async function finish(
  { db }: TestDatabase,
  id: number,
  competitions: readonly string[] = ["spring"],
  contents: Record<string, string> = {},
): Promise<void> {
  const { manifest } = await snapshotFiles(id, competitions, contents, join(directory, String(id)));
  await db
    .updateTable("dataset_snapshot")
    .set({ state: "ready", due_at: null, finished_at: new Date(), manifest: json(manifest) })
    .where("id", "=", id)
    .execute();
}

async function publications({ sql }: TestDatabase): Promise<(Publication & { id: number })[]> {
  return sql`select snapshot_id as id, destination, state, url, message, files_done as "filesDone", files_total as "filesTotal",
    bytes_done as "bytesDone", bytes_total as "bytesTotal" from dataset_publication order by snapshot_id`;
}

/** Returns a destination with the given implementation of `publish`. */
function destination(publish: Destination["publish"]): Destination {
  return { name: "hugging_face", keepsEarlier: true, publish };
}

describe("publishing to the object store", () => {
  test("stores each file by its hash, and an index at the publication's URL", async () => {
    const store = await openDirectoryStore(await mkdtemp(join(inject("scratch"), "store-")));
    const destinations = [openObjectStoreDestination(store)];
    const id = await ready(database);
    expect(await requestPublication(database, admin, id, "object_store")).toMatchObject({ state: "waiting" });
    await publishSnapshots(database, directory, { destinations, signal: FOREVER });
    const [row] = await publications(database);
    expect(row).toMatchObject({ state: "done", filesDone: 12, filesTotal: 12, message: null });
    const index = await textOf(store, row?.url?.replace("sha256:", ""));
    const { files } = JSON.parse(index) as { files: { path: string; sha256: string }[] };
    const code = files.find(({ path }) => path === "spring/code.parquet");
    expect(await textOf(store, code?.sha256)).toBe("spring/code.parquet");
  });

  test("deletes files that only earlier snapshots had", async () => {
    const store = await openDirectoryStore(await mkdtemp(join(inject("scratch"), "store-")));
    const options = { destinations: [openObjectStoreDestination(store)], signal: FOREVER };
    const code = "with one that is removed later";
    const first = await ready(database, ["spring"], { "spring/code.parquet": code });
    await requestPublication(database, admin, first, "object_store");
    await publishSnapshots(database, directory, options);
    const [before] = await publications(database);
    await requestPublication(database, admin, await ready(database), "object_store");
    await publishSnapshots(database, directory, options);
    const [earlier, newest] = await publications(database);
    expect(earlier).toMatchObject({ state: "done", url: null, message: "replaced by snapshot 2" });
    expect(await store.size(before?.url?.replace("sha256:", "") ?? "")).toBeNull();
    expect(await store.size(newest?.url?.replace("sha256:", "") ?? "")).not.toBeNull();
    expect(await store.size(createHash("sha256").update(code).digest("hex"))).toBeNull();
  });

  async function textOf(
    store: Awaited<ReturnType<typeof openDirectoryStore>>,
    sha256: string | undefined,
  ): Promise<string> {
    const stream = await store.get(sha256 ?? "");
    return (await stream?.toArray())?.join("") ?? "";
  }
});

test("a snapshot is published to the hub with progress and URL", async () => {
  await using hub = await startFakeHub();
  await requestPublication(database, admin, await ready(database), "hugging_face");
  await publishSnapshots(database, directory, { destinations: [openHuggingFace(hub.options)], signal: FOREVER });
  const url = `${hub.options.hubUrl}/datasets/lab/kernels/tree/${hub.commits.at(-1)?.oid ?? ""}`;
  expect(await publications(database)).toMatchObject([{ state: "done", url, filesDone: 12 }]);
});

describe("requesting a publication", () => {
  test("requires an administrator, and rejects snapshots older than the published one", async () => {
    const organiser = await person(database, "olga", ["submit", "read"], ["organiser"]);
    const [older, newer] = [await ready(database), await ready(database)];
    await expect(requestPublication(database, organiser, newer, "hugging_face")).rejects.toThrow("scope admin");
    await expect(requestPublication(database, admin, 99, "hugging_face")).rejects.toThrow("snapshot 99 does not exist");
    await requestPublication(database, admin, newer, "hugging_face");
    await expect(requestPublication(database, admin, older, "hugging_face")).rejects.toThrow(
      "the newer snapshot 2 is already published there; snapshot 1 would replace it",
    );
    await database.sql`update dataset_snapshot set files_deleted_at = now()`;
    await expect(requestPublication(database, admin, newer, "object_store")).rejects.toThrow("were deleted");
  });

  test("reports a destination that is not configured", async () => {
    await requestPublication(database, admin, await ready(database), "hugging_face");
    await publishSnapshots(database, directory, { destinations: [], signal: FOREVER });
    expect(await publications(database)).toMatchObject([
      { state: "failed", message: expect.stringContaining("KERNELBOT_HUGGING_FACE_TOKEN") as string },
    ]);
  });
});

describe("a snapshot that is still being built", () => {
  const building = async () => {
    const rows = await database.sql<{ id: number }>`insert into dataset_snapshot (competitions) values ('{spring}')
      returning id`;
    return rows[0]?.id ?? 0;
  };
  const there = () => ({ destinations: [destination(async () => "there")], signal: FOREVER });

  test("is published once it is ready", async () => {
    const id = await building();
    expect(await requestPublication(database, admin, id, "hugging_face")).toMatchObject({ state: "waiting" });
    await publishSnapshots(database, directory, there());
    expect(await publications(database)).toMatchObject([{ id, state: "waiting", message: null }]);
    await finish(database, id);
    await publishSnapshots(database, directory, there());
    expect(await publications(database)).toMatchObject([{ id, state: "done", url: "there" }]);
  });

  test("does not delay an older one", async () => {
    const older = await ready(database);
    const id = await building();
    await requestPublication(database, admin, id, "hugging_face");
    await requestPublication(database, admin, older, "hugging_face");
    await publishSnapshots(database, directory, there());
    expect(await publications(database)).toMatchObject([{ state: "done" }, { state: "waiting" }]);
    await finish(database, id);
    await publishSnapshots(database, directory, there());
    expect(await publications(database)).toMatchObject([{ state: "done" }, { state: "done" }]);
  });

  test("that fails is not published, and its publication reports the reason", async () => {
    const id = await building();
    await requestPublication(database, admin, id, "hugging_face");
    await database.sql`update dataset_snapshot set state = 'failed', message = 'the disk is full', finished_at = now(), due_at = null`;
    await publishSnapshots(database, directory, there());
    const message = "snapshot 1 failed: the disk is full; request another one";
    expect(await publications(database)).toMatchObject([{ state: "failed", message }]);
    await expect(requestPublication(database, admin, id, "hugging_face")).rejects.toMatchObject({
      code: "conflict",
      message,
    });
  });
});

describe("a publication that fails", () => {
  test("is retried after a temporary error, with the requested delay", async () => {
    await requestPublication(database, admin, await ready(database), "hugging_face");
    let calls = 0;
    const busy = destination(async () => {
      calls += 1;
      if (calls === 1) throw new PublicationError("the hub is busy", 2 * 3_600_000);
      return "https://hub.example/7";
    });
    await publishSnapshots(database, directory, { destinations: [busy], signal: FOREVER });
    expect(await publications(database)).toMatchObject([
      { state: "waiting", message: expect.stringMatching(/^the hub is busy; retry at 20.*UTC$/) as string },
    ]);
    await publishSnapshots(database, directory, { destinations: [busy], signal: FOREVER, clock: () => LATER });
    expect(calls).toBe(1);
    await publishSnapshots(database, directory, { destinations: [busy], signal: FOREVER, clock: () => MUCH_LATER });
    expect(await publications(database)).toMatchObject([{ state: "done", url: "https://hub.example/7" }]);
  });

  test("waits for a new request after a permanent error", async () => {
    const id = await ready(database);
    await requestPublication(database, admin, id, "hugging_face");
    const closed = destination(() => Promise.reject(new PublicationError("the token is refused", null)));
    await publishSnapshots(database, directory, { destinations: [closed], signal: FOREVER });
    await publishSnapshots(database, directory, { destinations: [closed], signal: FOREVER, clock: () => MUCH_LATER });
    expect(await publications(database)).toMatchObject([{ state: "failed", message: "the token is refused" }]);
    expect(await requestPublication(database, admin, id, "hugging_face")).toMatchObject({
      state: "waiting",
      message: null,
    });
  });

  test("is continued by the next server when its server stops", async () => {
    await requestPublication(database, admin, await ready(database), "hugging_face");
    const stopping = new AbortController();
    const stopped = destination(async () => {
      stopping.abort();
      throw stopping.signal.reason as Error;
    });
    await publishSnapshots(database, directory, { destinations: [stopped], signal: stopping.signal });
    expect(await publications(database)).toMatchObject([{ state: "waiting", message: null }]);
    await publishSnapshots(database, directory, { destinations: [destination(async () => "there")], signal: FOREVER });
    expect(await publications(database)).toMatchObject([{ state: "done" }]);
  });
});

test("one server at a time publishes to a destination, and another takes over after a crash", async () => {
  await requestPublication(database, admin, await ready(database), "hugging_face");
  let published = 0;
  const other = destination(async () => `there ${(published += 1)}`);
  const dying = destination(async () => {
    await publishSnapshots(database, directory, { destinations: [other], signal: FOREVER });
    expect(published).toBe(0);
    await publishSnapshots(database, directory, { destinations: [other], signal: FOREVER, clock: () => LATER });
    return "there, too late";
  });
  await publishSnapshots(database, directory, { destinations: [dying], signal: FOREVER });
  expect(published).toBe(1);
});
