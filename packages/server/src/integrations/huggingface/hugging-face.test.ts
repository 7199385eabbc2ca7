import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { getRequestListener } from "@hono/node-server";
import { describe, expect, test } from "vitest";
import { startFakeHub, type FakeHub } from "@kernelbot/testing/fake-hub.ts";
import { snapshotFiles } from "@kernelbot/testing/snapshot-files.ts";
import { openHuggingFace } from "./hugging-face.ts";
import { localSnapshot } from "../../dataset/publish/local.ts";
import { PublicationError } from "@kernelbot/dataset";
import type { Progress } from "../../dataset/publish/destination.ts";

// In a server, the HTTP library has replaced the global Request and Response classes.
getRequestListener(() => new Response());

const FOREVER = new AbortController().signal;
/** Longer than two upload parts. */
const LONG = "x".repeat(2500);

/** Publishes a directory; delays are recorded and cost no time. */
async function publish(
  hub: FakeHub,
  directory: string,
  { signal = FOREVER, waits = [] }: { signal?: AbortSignal; waits?: number[] } = {},
): Promise<{ url: string; updates: Progress[] }> {
  const updates: Progress[] = [];
  const place = openHuggingFace(hub.options, async (ms) => {
    waits.push(ms);
    signal.throwIfAborted();
  });
  const snapshot = await localSnapshot(directory, [], FOREVER);
  const url = await place.publish(snapshot, (progress) => updates.push({ ...progress }), signal);
  return { url, updates };
}

function puts(hub: FakeHub): string[] {
  return hub.requests.filter((request) => request.startsWith("PUT"));
}

function filesOf(hub: FakeHub): string[] {
  return [...(hub.commits.at(-1)?.files.keys() ?? [])].toSorted();
}

describe("a whole publication", () => {
  test("creates the dataset, uploads each file, large ones in parts, and creates one commit", async () => {
    await using hub = await startFakeHub();
    const { directory, manifest } = await snapshotFiles(7, ["spring"], { "spring/code.parquet": LONG });
    const { url, updates } = await publish(hub, directory);
    const paths = [...manifest.files.map(({ path }) => path), "dataset.json"];
    expect(filesOf(hub)).toEqual([".gitattributes", ...paths].toSorted());
    expect(hub.commits.at(-1)?.files.get("spring/code.parquet")?.toString()).toBe(LONG);
    expect(hub.commits.map(({ title }) => title)).toEqual(["initial commit", "Snapshot 7"]);
    expect(url).toBe(`${hub.options.hubUrl}/datasets/lab/kernels/tree/${hub.commits.at(-1)?.oid ?? ""}`);
    expect(updates.at(0)).toEqual({ files: 0, bytes: 0 });
    expect(updates.at(-1)?.bytes).toBeGreaterThan(2500);
  });

  test("sends the token only to the hub, not to its storage", async () => {
    await using hub = await startFakeHub();
    await publish(hub, (await snapshotFiles(7, ["spring"])).directory);
    expect(hub.authorizations).toHaveLength(10);
    expect(new Set(hub.authorizations)).toEqual(new Set([undefined]));
  });

  test("repeated, uploads and commits nothing", async () => {
    await using hub = await startFakeHub();
    const { directory } = await snapshotFiles(7, ["spring"]);
    const first = await publish(hub, directory);
    hub.requests.length = 0;
    expect((await publish(hub, directory)).url).toBe(first.url);
    expect(hub.commits).toHaveLength(2);
    expect(hub.requests.filter((request) => !request.startsWith("GET"))).toEqual([]);
  });
});

describe("the next snapshot", () => {
  test("uploads changed files and deletes removed ones in one commit", async () => {
    await using hub = await startFakeHub();
    await publish(hub, (await snapshotFiles(7, ["spring", "autumn"])).directory);
    hub.requests.length = 0;
    const { directory } = await snapshotFiles(8, ["spring"], { "spring/code.parquet": "without one" });
    await publish(hub, directory);
    expect(puts(hub)).toHaveLength(1);
    expect(filesOf(hub).filter((path) => path.startsWith("autumn/"))).toEqual([]);
    expect(hub.commits.at(-1)?.files.get("spring/code.parquet")?.toString()).toBe("without one");
    expect(hub.commits.map(({ title }) => title)).toEqual(["initial commit", "Snapshot 7", "Snapshot 8"]);
  });

  test("leaves other files of the dataset unchanged", async () => {
    await using hub = await startFakeHub();
    await publish(hub, (await snapshotFiles(7, ["spring"])).directory);
    hub.commit("a picture", (files) => files.set("spring/picture.png", Buffer.from("png")));
    await publish(hub, (await snapshotFiles(8, ["autumn"])).directory);
    expect(filesOf(hub).filter((path) => path.startsWith("spring/"))).toEqual(["spring/picture.png"]);
  });
});

describe("failures", () => {
  test("after a crash, only missing files are uploaded", async () => {
    await using hub = await startFakeHub();
    const { directory } = await snapshotFiles(7, ["spring"]);
    const crash = new AbortController();
    hub.breaks = () => hub.objects.size >= 4 && (crash.abort(), true);
    await expect(publish(hub, directory, { signal: crash.signal })).rejects.toThrow("aborted");
    const kept = [...hub.objects.keys()];
    expect(hub.commits).toHaveLength(1);
    hub.breaks = () => false;
    hub.requests.length = 0;
    await publish(hub, directory);
    expect(hub.commits).toHaveLength(2);
    expect(puts(hub)).toHaveLength(10 - kept.length);
    expect(kept.filter((oid) => puts(hub).some((request) => request.includes(oid)))).toEqual([]);
  });

  test("a part whose connection breaks is uploaded again", async () => {
    await using hub = await startFakeHub();
    const { directory } = await snapshotFiles(7, ["spring"], { "spring/code.parquet": LONG });
    let left = 2;
    hub.breaks = (request) => request.endsWith("/2") && (left -= 1) >= 0;
    const waits: number[] = [];
    await publish(hub, directory, { waits });
    expect(waits).toHaveLength(2);
    expect(hub.commits.at(-1)?.files.get("spring/code.parquet")?.toString()).toBe(LONG);
  });

  test.each([
    { "retry-after": "17" },
    { ratelimit: '"api";r=0;t=17', "ratelimit-policy": '"fixed window";"api";q=500;w=300' },
  ])("the delay that the hub states is respected: %o", async (headers) => {
    await using hub = await startFakeHub();
    const { directory } = await snapshotFiles(7, ["spring"]);
    let left = 1;
    hub.trouble = (request) =>
      request.includes("/preupload/") && (left -= 1) >= 0 ? { status: 429, headers } : undefined;
    const waits: number[] = [];
    await publish(hub, directory, { waits });
    expect(waits).toEqual([17_000]);
  });

  test("an unavailable hub fails the publication with the delay before a retry", async () => {
    await using hub = await startFakeHub();
    const { directory } = await snapshotFiles(7, ["spring"]);
    hub.trouble = () => ({ status: 503, headers: { "retry-after": "1" } });
    const waits: number[] = [];
    const failure = await publish(hub, directory, { waits }).catch((error: unknown) => error);
    expect(failure).toMatchObject({
      waitMs: 1000,
      message: expect.stringMatching(/^127.0.0.1:\d+ responded with 503$/) as string,
    });
    expect(waits).toEqual([1000, 1000, 1000, 1000]);
    hub.trouble = () => ({ status: 429, headers: { "retry-after": "3600" } });
    await expect(publish(hub, directory)).rejects.toMatchObject({ waitMs: 3_600_000 });
  });

  test("the hub rejects corrupted bytes, and nothing is committed", async () => {
    await using hub = await startFakeHub();
    const { directory } = await snapshotFiles(7, ["spring"], { "spring/code.parquet": LONG });
    hub.arrives = (bytes) => Buffer.from(bytes.toString().replace("x", "y"));
    const failure = await publish(hub, directory).catch((error: unknown) => error);
    expect(failure).toMatchObject({ message: "the storage of Hugging Face rejected a file (400)", waitMs: 5000 });
    expect(hub.commits).toHaveLength(1);
    hub.arrives = (bytes) => bytes;
    await publish(hub, directory);
    expect(hub.commits).toHaveLength(2);
  });

  test("a commit whose response was lost is not repeated", async () => {
    await using hub = await startFakeHub();
    const { directory } = await snapshotFiles(7, ["spring"]);
    let left = 1;
    hub.swallows = (request) => request.includes("/commit/") && (left -= 1) >= 0;
    await expect(publish(hub, directory)).rejects.toMatchObject({ waitMs: 5000 });
    await publish(hub, directory);
    expect(hub.commits.map(({ title }) => title)).toEqual(["initial commit", "Snapshot 7"]);
  });

  test("a token without write access is reported and never shown", async () => {
    await using hub = await startFakeHub();
    const { directory } = await snapshotFiles(7, ["spring"]);
    hub.options.token = "hf_anotherone";
    hub.trouble = () => ({ status: 403, body: { error: "hf_anotherone may not do this" } });
    const failure = await publish(hub, directory).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(PublicationError);
    expect(failure).toMatchObject({ waitMs: null });
    expect(String(failure)).toBe(
      "PublicationError: Hugging Face rejected the token (403): set KERNELBOT_HUGGING_FACE_TOKEN to a token with write access to lab/kernels",
    );
  });

  test("a file that differs from the manifest is not uploaded", async () => {
    await using hub = await startFakeHub();
    const { directory } = await snapshotFiles(7, ["spring"]);
    await appendFile(join(directory, "spring/code.parquet"), "!");
    await expect(publish(hub, directory)).rejects.toThrow("differs from its hash in dataset.json");
    expect(hub.requests).toEqual([]);
  });
});
