import { expect, test } from "vitest";
import { parseTrace, summarizeProfile, type TraceReading } from "@kernelbot/core";
import { STATES } from "@kernelbot/testing/web/submission.ts";
import type { SubmissionPage } from "./page-data.ts";
import { submissionPage } from "./page.ts";

const HOSTILE = `</title><script>alert("1")</script>`;

function reading(names: readonly string[], cat = "cpu_op"): TraceReading {
  const events = names.map((name, at) => ({ ph: "X", name, cat, ts: 100 * at, dur: 90, pid: HOSTILE, tid: HOSTILE }));
  const summary = summarizeProfile(parseTrace(events) ?? []);
  if (summary === null) throw new Error("no summary");
  return { summary, problem: null };
}

function profile(...readings: readonly TraceReading[]): SubmissionPage {
  const shown = STATES["profile"];
  if (shown === undefined) throw new Error("no profile");
  const of = (at: number) => ({ runId: 3, target: "cpu", name: `profile.${at}.trace.json.gz` });
  const traces = readings.map((each, at) => ({ ...of(at), ...each }));
  return { ...shown, profile: { traces, reports: [], omitted: 0 } };
}

/** Returns the page with single spaces. */
async function pageOf(data: SubmissionPage): Promise<string> {
  return (await submissionPage(data)).replace(/\s+/g, " ");
}

test("the next step links to a table of the operations and a timeline", async () => {
  const page = await pageOf(profile(reading(["aten::add", "aten::mul", "aten::add"])));
  expect(page).toContain('href="#profile-3"');
  expect(page).toContain('id="profile-3"');
  expect(page).toMatch(/Profile of case 1 <small>2 operations<\/small>/);
  expect(page).toMatch(/<code>aten::add<\/code>.{0,99}67 %.{0,99}180\.0 µs.{0,99}180\.0 µs.{0,99}90\.00 µs.{0,99}>2</);
  expect(page.match(/<title>aten::add: 90\.00 µs, from /g)).toHaveLength(2);
});

test("kernels of a device have no self time", async () => {
  const page = await pageOf(profile(reading(["gemm"], "kernel")));
  expect(page).toMatch(/Profile of case 1 <small>1 kernel</);
  expect(page).not.toContain(">Self<");
});

test("names of calls, threads and processes are escaped", async () => {
  const page = await pageOf(profile(reading([HOSTILE])));
  expect(page).toContain("&lt;script&gt;alert(&quot;1&quot;)");
  expect(page).not.toContain("<script>alert");
});

test("operations below the table are counted", async () => {
  const names = Array.from({ length: 1031 }, (_, at) => `operation ${at}`);
  expect(await pageOf(profile(reading(names)))).toContain("and 1,001 more");
});

test("reports of device profilers are shown as text, and a file of a vendor's format says what opens it", async () => {
  const data = profile();
  const [run] = data.runs;
  const [file] = run?.artifacts ?? [];
  if (run === undefined || file === undefined) throw new Error("no run with files");
  const artifacts = ["profile.0.ncu-rep", "profile.0.pftrace"].map((name) => ({ ...file, name }));
  const report = { runId: 3, target: "cpu", name: "profile.0.ncu.txt", text: `Duration 5 us ${HOSTILE}` };
  const page = await pageOf({
    ...data,
    runs: [{ ...run, artifacts }],
    profile: { traces: [], reports: [report], omitted: 0 },
  });
  expect(page).toMatch(/Nsight Compute: case 1<\/summary> <pre tabindex="0"><code>Duration 5 us &lt;\/title&gt;/);
  expect(page).toMatch(/\*\.ncu-rep<\/code> has the metrics [^<]*open it with ncu-ui/);
  expect(page).toMatch(/\*\.pftrace<\/code> has the calls [^<]*ui\.perfetto\.dev/);
});

test("a trace that cannot be read is a download, next to the others", async () => {
  const unreadable = { summary: null, problem: "It contains no calls." };
  const page = await pageOf(profile(unreadable, reading(["aten::add"])));
  expect(page).toContain(
    'The trace of case 1 cannot be shown. It contains no calls. <a href="/api/v1/runs/3/artifacts/profile.0.trace.json.gz" download>',
  );
  expect(page).toContain("Profile of case 2");
});

test("the link of the next step leads to a sentence where no trace is shown", async () => {
  expect(await pageOf(profile())).toMatch(/id="profile-3"> <h3>Where the time goes<\/h3> <p>This page shows no trace/);
});

test("viewers who may not read the files see no profile", async () => {
  const page = await pageOf({ ...profile(reading(["aten::add"])), isWhole: false, isOwn: false });
  expect(page).not.toMatch(/profile-3|aten::add/);
});
