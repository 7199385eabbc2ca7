/** Traces of profiles on the page of their submission: who sees them, and what a hostile trace does. */
import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, test } from "vitest";
import { MAX_TRACE_BYTES, Profile, type JudgeEvent } from "@kernelbot/core";
import { createCompetition } from "../competitions/change.ts";
import { beginSession } from "../auth/sessions.ts";
import type { Identity } from "../auth/identity.ts";
import { issueToken } from "../auth/tokens.ts";
import { spec } from "@kernelbot/testing/competitions.ts";
import { claimed, passing, person, reported, runner, submitted } from "@kernelbot/testing/fixtures.ts";
import { openTestServer, type TestServer } from "@kernelbot/testing/server-with-problems.ts";
import { putArtifact } from "./artifacts.ts";

const NAME = "profile.0.trace.json.gz";
const TRACE = gzipSync('[{"ph":"X","name":"aten::softmax","ts":1,"dur":20,"tid":1,"pid":"CPU functions"}]');

let testServer: TestServer;
let ann: Identity;
let box: Identity;

beforeEach(async () => {
  testServer = await openTestServer();
  [ann, box] = [await person(testServer.database, "ann"), await runner(testServer.database)];
});
afterEach(() => testServer[Symbol.asyncDispose]());

/** Submits and reports a profile with this trace, and with a text. @returns the submission, and the hash of the trace. */
async function profiled(
  trace: Uint8Array,
  textName?: string,
  text?: Uint8Array,
): Promise<{ id: number; sha256: string }> {
  const { database, store } = testServer;
  const id = await submitted(database, ann, { mode: "profile" });
  const run = await claimed(database, box);
  const upload = { runId: run.runId, attempt: run.attempt, name: NAME, mediaType: "application/gzip" } as const;
  const artifact = await putArtifact(database, store, box, { ...upload, bytes: Readable.from([trace]) });
  const events: JudgeEvent[] = [{ ...artifact, type: "artifact", stage: "profile" }, ...passing("profile")];
  if (textName !== undefined && text !== undefined) {
    const written = { ...upload, name: textName, mediaType: "text/plain" } as const;
    const report = await putArtifact(database, store, box, { ...written, bytes: Readable.from([text]) });
    events.unshift({ ...report, type: "artifact", stage: "profile" });
  }
  await reported(database, box, run, events);
  return { id, sha256: artifact.sha256 };
}

async function pageFor(who: Identity, id: number): Promise<{ status: number; text: string }> {
  const session = await testServer.database.db
    .transaction()
    .execute((open) => beginSession(open, who.account.id, { address: "192.0.2.1", userAgent: "Browser/1" }));
  const headers = { cookie: `kernelbot_session=${session}` };
  const response = await testServer.ask(`/submissions/${id}`, undefined, { headers });
  const text = (await response.text()).replace(/<script.*?<\/script>/gs, "").replace(/\s+/g, " ");
  return { status: response.status, text };
}

test("only the owner and moderators see the profile, on pages that others may open too", async () => {
  const { database } = testServer;
  const olga = await person(database, "olga", ["admin"], ["organiser"]);
  await createCompetition(database, olga, spec({ problems: ["double"], visibility: "public" }));
  const { id } = await profiled(TRACE);
  for (const who of [ann, await person(database, "root", ["admin"])]) {
    const { status, text } = await pageFor(who, id);
    expect([status, text.includes("aten::softmax"), text.includes('id="profile-')]).toEqual([200, true, true]);
  }
  const shown = await pageFor(olga, id);
  expect([shown.status, /softmax|id="profile-/.test(shown.text)]).toEqual([200, false]);
  expect((await pageFor(await person(database, "bob"), id)).status).toBe(404);
});

test("the API returns the summary and the texts of device profilers to the owner and moderators", async () => {
  const { database } = testServer;
  const { id } = await profiled(TRACE, "profile.0.ncu.txt", Buffer.from("Duration 5 us\u001b[31m\u202e\n"));
  const ask = async (who: Identity) => {
    const token = await issueToken(database, {
      accountId: who.account.id,
      label: "t",
      scopes: ["read", ...who.scopes],
    });
    return testServer.ask(`/api/v1/submissions/${id}/profile`, token);
  };
  for (const who of [ann, await person(database, "root", ["admin"])]) {
    const { traces, reports, omitted } = Profile.parse(await (await ask(who)).json());
    expect(traces).toMatchObject([
      {
        target: "cpu",
        name: NAME,
        problem: null,
        summary: { operations: [{ name: "aten::softmax", calls: 1, share: 1 }] },
      },
    ]);
    expect(reports).toMatchObject([{ name: "profile.0.ncu.txt", text: "Duration 5 us\n" }]);
    expect(omitted).toBe(0);
  }
  expect((await ask(await person(database, "bob"))).status).toBe(404);
});

test("a long text of a device profiler ends with a note", async () => {
  const { id } = await profiled(TRACE, "profile.0.rocprof.txt", Buffer.from("ä line\n".repeat(20_000)));
  const { text } = await pageFor(ann, id);
  expect(text).toMatch(/ä line … The file continues: it has 156\S* [kK]i?B\./);
  expect(text).not.toContain("\ufffd");
});

test("a trace is read once, and again only if the viewer may see it", async () => {
  const { id, sha256 } = await profiled(gzipSync('[{"ph":"X","name":"read once","ts":1,"dur":20}]'));
  expect((await pageFor(ann, id)).text).toContain("read once");
  await testServer.store.delete(sha256);
  expect((await pageFor(ann, id)).text).toContain("read once");
  expect((await pageFor(await person(testServer.database, "bob"), id)).status).toBe(404);
});

test.each([
  ["a decompression bomb", gzipSync(Buffer.alloc(8 * MAX_TRACE_BYTES, " ")), "It is longer than 16.00 MiB."],
  ["a file that is not compressed", Buffer.from("a trace"), "It is not JSON compressed by gzip."],
  ["a file that is not JSON", gzipSync("a trace"), "It is not JSON compressed by gzip."],
  ["other JSON", gzipSync('{"traceEvents":3}'), "It is not in the Chrome trace format."],
  ["an empty trace", gzipSync("[]"), "It contains no calls."],
])("instead of %s, the page shows a sentence and the download", async (_, trace, problem) => {
  const { id } = await profiled(trace);
  const { status, text } = await pageFor(ann, id);
  expect(status).toBe(200);
  expect(text).toContain(`The trace of case 1 cannot be shown. ${problem} <a href="/api/v1/runs/`);
});
