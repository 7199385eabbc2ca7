import { expect, test } from "vitest";
import { SHOWN_OPERATIONS, summarizeProfile, type ProfileSummary } from "./profile-summary.ts";
import { SHOWN_CALLS, SHOWN_TRACKS } from "./profile-timeline.ts";
import { parseTrace } from "./trace.ts";

interface Call {
  name: string;
  ts: number;
  dur: number;
  cat?: string;
  pid?: string | number;
  tid?: string | number;
}

function summaryOf(calls: readonly Call[]): ProfileSummary {
  const events = parseTrace(calls.map((call) => ({ ph: "X", pid: "CPU functions", tid: 1, ...call })));
  const summary = events && summarizeProfile(events);
  if (summary === null) throw new Error("no summary");
  return summary;
}

const NESTED = [
  { name: "custom_kernel", ts: 100, dur: 50 },
  { name: "aten::add", ts: 110, dur: 20 },
  { name: "aten::empty", ts: 112, dur: 5 },
  { name: "aten::add", ts: 140, dur: 10 },
];

test("self time is without the calls that a call contains", () => {
  const { processor, operations, moreOperations } = summaryOf(NESTED);
  expect([processor, moreOperations]).toEqual(["cpu", 0]);
  expect(operations).toEqual([
    { name: "aten::add", calls: 2, totalUs: 30, selfUs: 25, share: 0.5 },
    { name: "custom_kernel", calls: 1, totalUs: 50, selfUs: 20, share: 0.4 },
    { name: "aten::empty", calls: 1, totalUs: 5, selfUs: 5, share: 0.1 },
  ]);
});

test("calls of other threads are not contained", () => {
  const { operations } = summaryOf([
    { name: "a", ts: 0, dur: 50 },
    { name: "b", ts: 10, dur: 20, tid: 2 },
  ]);
  expect(operations.map(({ selfUs }) => selfUs)).toEqual([50, 20]);
});

test("times that were rounded to microseconds are nested nevertheless", () => {
  const { operations } = summaryOf([
    { name: "a", ts: 0, dur: 50 },
    { name: "inside", ts: 45, dur: 6 },
    { name: "after", ts: 50, dur: 30 },
  ]);
  expect(operations.map(({ name, selfUs }) => [name, selfUs])).toEqual([
    ["a", 45],
    ["after", 30],
    ["inside", 6],
  ]);
});

test("concurrent calls of a thread are ranked by their total time", () => {
  const { operations } = summaryOf([
    { name: "a", ts: 0, dur: 50 },
    { name: "b", ts: 25, dur: 150 },
  ]);
  expect(operations).toEqual([
    { name: "b", calls: 1, totalUs: 150, selfUs: null, share: 0.75 },
    { name: "a", calls: 1, totalUs: 50, selfUs: null, share: 0.25 },
  ]);
});

test("kernels and copies on a device come before operations on the CPU", () => {
  const { processor, operations, timeline } = summaryOf([
    ...NESTED.map((call) => ({ ...call, cat: "cpu_op" })),
    { name: "gemm", cat: "kernel", ts: 120, dur: 30, pid: 0, tid: 7 },
    { name: "Memcpy", cat: "gpu_memcpy", ts: 110, dur: 10, pid: 0, tid: 7 },
    { name: "custom_kernel", cat: "gpu_user_annotation", ts: 110, dur: 40, pid: 0, tid: 7 },
  ]);
  expect(processor).toBe("device");
  expect(operations.map(({ name, share, selfUs }) => [name, share, selfUs])).toEqual([
    ["gemm", 0.75, null],
    ["Memcpy", 0.25, null],
  ]);
  expect(timeline.rows.map(({ label, bars }) => [label, bars.length])).toEqual([
    ["stream 7", 2],
    ["thread 1", 4],
  ]);
  expect(timeline.rows.flatMap(({ bars }) => bars.map(({ rank }) => rank))).toEqual([1, 0, null, null, null, null]);
});

test("names are shortened and cannot contain control characters or lines", () => {
  const name = `\x1b[2Jvoid\n kernel\u202e ${"x".repeat(1_000_000)}`;
  const { operations, timeline } = summaryOf([
    { name, ts: 0, dur: 10, tid: name },
    { name: `${name}y`, ts: 20, dur: 5, tid: name },
    { name: "\x07", ts: 30, dur: 1, tid: name },
  ]);
  expect(operations.map((each) => [each.name.slice(0, 13), each.name.length])).toEqual([
    ["void kernel x", 161],
    ["void kernel x", 161],
    ["(no name)", 9],
  ]);
  expect(timeline.rows[0]?.label).toHaveLength("thread ".length + 161);
  expect(timeline.rows[0]?.bars[0]?.name).toBe(operations[0]?.name);
});

test("the table ends after its first operations and the timeline after its longest calls, the rest merged", () => {
  const calls = Array.from({ length: 2000 }, (_, at) => ({
    name: `operation ${at % 50}`,
    ts: 1000 * at,
    dur: at % 100,
    tid: at % 10,
  }));
  const { operations, moreOperations, timeline } = summaryOf(calls);
  expect([operations.length, moreOperations]).toEqual([SHOWN_OPERATIONS, 20]);
  expect([timeline.rows.length, timeline.moreRows]).toEqual([SHOWN_TRACKS, 2]);
  const bars = timeline.rows.flatMap((row) => row.bars);
  expect(bars.filter(({ name, calls }) => name !== null && calls === 1)).toHaveLength(SHOWN_CALLS);
  const merged = bars.filter(({ name }) => name === null);
  expect(merged.reduce((sum, bar) => sum + bar.calls, 0)).toBe(SHOWN_TRACKS * 200 - SHOWN_CALLS);
  expect(merged.length).toBeLessThanOrEqual(100 * SHOWN_TRACKS);
});

test("a row is as busy as its calls, not as the bars that merge them", () => {
  const { timeline } = summaryOf(Array.from({ length: 1000 }, (_, at) => ({ name: "a", ts: 10 * at, dur: 1, tid: 1 })));
  expect(timeline.rows.map(({ busyUs }) => busyUs)).toEqual([1000]);
});

test("a trace is an array of events or an object with them, of which invalid and untimed ones are skipped", () => {
  const timed = { ph: "X", name: "a", ts: 1, dur: 2, pid: 0, tid: 0, cat: "cpu_op", args: { deep: [1] } };
  const untimed = { ph: "M", name: "thread_name", pid: 0, args: {} };
  const invalid = [null, 1, {}, { ...timed, name: 7 }, { ...timed, dur: -1 }, { ...timed, ts: 1e300 }];
  const known = [{ name: "a", ts: 1, dur: 2, pid: 0, tid: 0, cat: "cpu_op" }];
  expect(parseTrace([timed, untimed, ...invalid])).toEqual(known);
  expect(parseTrace({ schemaVersion: 1, traceEvents: [timed] })).toEqual(known);
  for (const value of [null, "[]", 3, {}, { traceEvents: {} }]) expect(parseTrace(value)).toBeNull();
});

test("a trace without calls has no summary", () => {
  expect(summarizeProfile([])).toBeNull();
  expect(
    summarizeProfile(parseTrace([{ ph: "X", cat: "Trace", name: "PyTorch Profiler", ts: 0, dur: 9 }]) ?? []),
  ).toBeNull();
});

test("calls without a duration do not divide by zero", () => {
  const { operations, timeline } = summaryOf([{ name: "a", ts: 5, dur: 0 }]);
  expect(operations).toMatchObject([{ share: 0 }]);
  expect(timeline.durationUs).toBe(0);
});
