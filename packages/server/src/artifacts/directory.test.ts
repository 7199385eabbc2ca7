import { mkdir, mkdtemp, readdir, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, inject, test } from "vitest";
import { openDirectoryStore } from "./directory.ts";

const SHA256_OF_ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
const bytes = async function* (...parts: string[]) {
  for (const part of parts) yield Buffer.from(part);
};
const newFolder = () => mkdtemp(join(inject("scratch"), "store-"));
const filesIn = async (folder: string) =>
  (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());

test("stores content under its hash, with its size, and reads it back", async () => {
  const store = await openDirectoryStore(await newFolder());
  expect(await store.put(bytes("a", "bc"), 3)).toEqual({ sha256: SHA256_OF_ABC, sizeBytes: 3 });
  expect(await store.size(SHA256_OF_ABC)).toBe(3);
  const stream = await store.get(SHA256_OF_ABC);
  expect(stream && (await text(stream))).toBe("abc");
});

test("stores identical content once", async () => {
  const folder = await newFolder();
  const store = await openDirectoryStore(folder);
  await Promise.all([store.put(bytes("abc"), 3), store.put(bytes("ab", "c"), 3)]);
  expect((await filesIn(folder)).map(({ name }) => name)).toEqual([SHA256_OF_ABC]);
});

test("returns nothing for deleted or unknown content", async () => {
  const store = await openDirectoryStore(await newFolder());
  await store.put(bytes("abc"), 3);
  for (const _ of ["once", "again"]) {
    await store.delete(SHA256_OF_ABC);
    expect([await store.get(SHA256_OF_ABC), await store.size(SHA256_OF_ABC)]).toEqual([null, null]);
  }
});

test("stores nothing of a stream that is too long or fails", async () => {
  const folder = await newFolder();
  const store = await openDirectoryStore(folder);
  await expect(store.put(bytes("a", "bcd"), 3)).rejects.toMatchObject({ code: "too_large" });
  const broken = async function* () {
    yield Buffer.from("a");
    throw new Error("hung up");
  };
  await expect(store.put(broken(), 3)).rejects.toThrow("hung up");
  expect(await filesIn(folder)).toEqual([]);
});

test("clears unfinished files of a killed server, but none being written", async () => {
  const folder = await newFolder();
  await mkdir(join(folder, "unfinished"));
  for (const name of ["old", "new"]) await writeFile(join(folder, "unfinished", name), "half");
  await utimes(join(folder, "unfinished", "old"), new Date(0), new Date(0));
  await openDirectoryStore(folder);
  expect((await filesIn(folder)).map(({ name }) => name)).toEqual(["new"]);
});
