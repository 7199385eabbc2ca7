/** The S3 store against a fake service that verifies every signature and simulates failures. */
import { createHash } from "node:crypto";
import { text } from "node:stream/consumers";
import { inspect } from "node:util";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { AwsV4Signer } from "aws4fetch";
import { KEY_ID, MIN_PART_BYTES, SECRET_KEY, startFakeS3, type FakeS3 } from "@kernelbot/testing/fake-s3.ts";
import type { ObjectStore } from "../store.ts";
import { listObjects } from "./list.ts";
import { readS3Options, type S3Options } from "./options.ts";
import { openS3Store } from "./s3.ts";
import { uploadObject } from "./upload.ts";

const RETRY_POLICY = { tries: 3, pauseMs: 1, answerMs: 5000 };
const ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
const bytes = async function* (...parts: string[]) {
  for (const part of parts) yield Buffer.from(part);
};

let s3: FakeS3;
let store: ObjectStore;
beforeAll(async () => {
  s3 = await startFakeS3();
  store = openS3Store(readS3Options(s3.env) as S3Options, RETRY_POLICY);
});
afterAll(() => s3[Symbol.asyncDispose]());
beforeEach(() => {
  s3.objects.clear();
  s3.requests.length = 0;
  s3.breaksAfter = [];
  s3.trouble = () => undefined;
  s3.uploads.clear();
  s3.pageSize = 1000;
});

const upload = (...parts: string[]) =>
  uploadObject(readS3Options(s3.env) as S3Options, "b/big", bytes(...parts), RETRY_POLICY, MIN_PART_BYTES);

test("computes the signature of the AWS documentation's example", async () => {
  const signer = new AwsV4Signer({
    url: "https://examplebucket.s3.amazonaws.com/test.txt?X-Amz-Expires=86400",
    accessKeyId: "AKIAIOSFODNN7EXAMPLE",
    secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    service: "s3",
    region: "us-east-1",
    datetime: "20130524T000000Z",
    signQuery: true,
  });
  const { url } = await signer.sign();
  expect(url.searchParams.get("X-Amz-Signature")).toBe(
    "aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404",
  );
});

test("stores content under the prefix by hash, and measures, reads and deletes it", async () => {
  expect(await store.put(bytes("a", "bc"), 3)).toEqual({ sha256: ABC, sizeBytes: 3 });
  expect([...s3.objects.keys()]).toEqual([`lab/${ABC}`]);
  expect(await store.size(ABC)).toBe(3);
  const stream = await store.get(ABC);
  expect(stream && (await text(stream))).toBe("abc");
  for (const _ of ["once", "again"]) {
    await store.delete(ABC);
    expect([await store.get(ABC), await store.size(ABC)]).toEqual([null, null]);
  }
});

test("uploads identical content once, and nothing of a stream that is too long or fails", async () => {
  await store.put(bytes("abc"), 3);
  await store.put(bytes("abc"), 3);
  await expect(store.put(bytes("a", "bcd"), 3)).rejects.toMatchObject({ code: "too_large" });
  const broken = async function* () {
    yield Buffer.from("a");
    throw new Error("hung up");
  };
  await expect(store.put(broken(), 3)).rejects.toThrow("hung up");
  expect(s3.requests.filter((request) => request.startsWith("PUT"))).toHaveLength(1);
});

test.each([
  ["is busy", { status: 503, code: "SlowDown" }],
  ["fails", { status: 500, code: "InternalError" }],
  ["read too slowly", { status: 400, code: "RequestTimeout" }],
  ["hangs up", "hang up"],
] as const)("retries when the service %s", async (_, trouble) => {
  let times = 2;
  s3.trouble = (request) => (request.startsWith("PUT") && times-- > 0 ? trouble : undefined);
  await store.put(bytes("abc"), 3);
  expect(s3.objects.get(`lab/${ABC}`)?.toString()).toBe("abc");
});

test.each([
  ["that is unreachable", "hang up", "is not responding", /^PUT lab/],
  ["that never responds", "never answer", "is not responding", /^PUT lab\/.*timeout/],
  [
    "that rejects the key",
    { status: 403, code: "InvalidAccessKeyId" },
    "rejected the request",
    /403, InvalidAccessKeyId: no$/,
  ],
] as const)(
  "a service that %s is reported with a message, and the cause to the operator",
  async (_, trouble, message, cause) => {
    const hasty = openS3Store(readS3Options(s3.env) as S3Options, { tries: 2, pauseMs: 1, answerMs: 100 });
    s3.trouble = (request) => (request.startsWith("PUT") ? trouble : undefined);
    const failed = await hasty.put(bytes("abc"), 3).catch((error: unknown) => error as Error);
    expect(failed).toMatchObject({ code: "unavailable", message: expect.stringContaining(message) as string });
    expect(String((failed as Error).cause).replace("Error: PUT ", "PUT lab/")).toMatch(cause);
  },
);

test("a download resumes after the last byte when its connection breaks", async () => {
  const long = "kernel ".repeat(50_000);
  const { sha256 } = await store.put(bytes(long), 1_000_000);
  s3.breaksAfter = [100_000, 1, 70_000];
  const stream = await store.get(sha256);
  expect(
    createHash("sha256")
      .update((stream && (await text(stream))) ?? "")
      .digest("hex"),
  ).toBe(sha256);
  expect(s3.requests.filter((request) => request.startsWith("GET"))).toHaveLength(4);
});

test("a download that stalls ends with an error instead of looking complete", async () => {
  await store.put(bytes("abc"), 3);
  s3.breaksAfter = Array.from({ length: 20 }, () => 0);
  const stream = await store.get(ABC);
  await expect(stream && text(stream)).rejects.toMatchObject({ code: "unavailable" });
});

test("uploads a stream in parts of equal size, and a short or empty one in one request", async () => {
  const long = "kernel ".repeat(500);
  await upload(long.slice(0, 10), long.slice(10, 2500), long.slice(2500));
  expect(s3.objects.get("lab/b/big")?.toString()).toBe(long);
  expect(s3.requests.filter((each) => each.includes("partNumber"))).toHaveLength(4);
  expect(s3.uploads.size).toBe(0);
  for (const short of ["", "x".repeat(MIN_PART_BYTES)]) {
    s3.requests.length = 0;
    await upload(short);
    expect(s3.objects.get("lab/b/big")?.toString()).toBe(short);
    expect(s3.requests).toEqual(["PUT lab/b/big"]);
  }
});

test("retries a part, and recognises a completed upload when the response to its completion was lost", async () => {
  const once = new Set(["PUT lab/b/big?partNumber=2", "POST lab/b/big?uploadId"]);
  s3.trouble = (request) => (once.delete(request.replace(/(uploadId).*/, "$1")) ? "lose the response" : undefined);
  await upload("x".repeat(2500));
  expect([s3.objects.get("lab/b/big")?.length, once.size, s3.uploads.size]).toEqual([2500, 0, 0]);
});

test("an upload that fails is aborted, so that its parts are deleted", async () => {
  s3.trouble = (request) => (request.endsWith("partNumber=2") ? { status: 403, code: "AccessDenied" } : undefined);
  await expect(upload("x".repeat(2500))).rejects.toMatchObject({ code: "unavailable" });
  s3.trouble = () => undefined;
  const broken = async function* () {
    yield Buffer.alloc(2500);
    throw new Error("hung up");
  };
  const failing = uploadObject(readS3Options(s3.env) as S3Options, "b/big", broken(), RETRY_POLICY, MIN_PART_BYTES);
  await expect(failing).rejects.toThrow("hung up");
  expect([s3.uploads.size, s3.objects.size]).toEqual([0, 0]);
});

test("lists objects and folders below a path over several pages", async () => {
  for (const name of ["lab/b/1/x", "lab/b/2/a b&+ü", "lab/b/2/y", "lab/b/top", "lab/c/1/z"])
    s3.objects.set(name, Buffer.alloc(1));
  s3.pageSize = 2;
  const options = readS3Options(s3.env) as S3Options;
  const all = await listObjects(options, "b/", RETRY_POLICY);
  expect(all).toEqual(["1/x", "2/a b&+ü", "2/y", "top"]);
  expect(await listObjects(options, "b/", RETRY_POLICY, { folders: true })).toEqual(["1/", "2/"]);
  expect(await listObjects(options, "none/", RETRY_POLICY)).toEqual([]);
  const elsewhere = readS3Options({ ...s3.env, KERNELBOT_STORE: "s3://elsewhere" }) as S3Options;
  await expect(listObjects(elsewhere, "", RETRY_POLICY)).rejects.toThrow("bucket does not exist");
});

test("a link downloads one object until it expires", async () => {
  await store.put(bytes("abc"), 3);
  const link = (await store.link(ABC, { name: "a b.txt", mediaType: "text/plain", seconds: 60 })) ?? "";
  const got = await fetch(link);
  expect(await got.text()).toBe("abc");
  expect(got.headers.get("content-disposition")).toBe('attachment; filename="a b.txt"');
  expect(got.headers.get("content-type")).toBe("text/plain");
  expect((await fetch(link.replace(ABC, ABC.replace("b", "c")))).status).toBe(403);
  expect((await fetch(link.replace("Expires=60", "Expires=6000"))).status).toBe(403);
  s3.aheadS = 61;
  expect((await fetch(link)).status).toBe(403);
  s3.aheadS = 0;
});

test("the health check writes and deletes an object, and reports a missing bucket", async () => {
  await store.check();
  expect(s3.requests.map((request) => request.split(" ")[0])).toEqual(["PUT", "DELETE"]);
  expect(s3.objects.size).toBe(0);
  const env = { ...s3.env, KERNELBOT_STORE: "s3://elsewhere" };
  await expect(openS3Store(readS3Options(env) as S3Options).check()).rejects.toThrow("bucket does not exist");
});

test("without an endpoint uses the bucket's AWS host, or the path where no certificate covers that host", () => {
  const of = (store: string) =>
    readS3Options({
      KERNELBOT_STORE: store,
      AWS_ACCESS_KEY_ID: "a",
      AWS_SECRET_ACCESS_KEY: "b",
      AWS_REGION: "eu-west-1",
    })?.bucketUrl;
  expect(of("s3://kernels")).toBe("https://kernels.s3.eu-west-1.amazonaws.com");
  expect(of("s3://lab.kernels/a")).toBe("https://s3.eu-west-1.amazonaws.com/lab.kernels");
});

test("reports all invalid environment variables at once, and never the secret", () => {
  expect(() =>
    readS3Options({ KERNELBOT_STORE: "bucket", AWS_ENDPOINT_URL: "ftp://a", AWS_ACCESS_KEY_ID: KEY_ID }),
  ).toThrow(/KERNELBOT_STORE: "bucket" must have the form .*; AWS_ENDPOINT_URL_S3: .*; AWS_SECRET_ACCESS_KEY: /);
  const options = readS3Options({ ...s3.env, AWS_SESSION_TOKEN: "session" });
  expect(`${inspect(options)} ${JSON.stringify(options)} ${String(options?.secretAccessKey)}`).not.toMatch(
    new RegExp(`${SECRET_KEY.replaceAll("+", "\\+")}|"session"|'session'`),
  );
  expect(options?.secretAccessKey.reveal()).toBe(SECRET_KEY);
  expect(readS3Options({})).toBeUndefined();
});
