import { expect, test } from "vitest";
import { parseTrace, summarizeProfile, type Profile } from "@kernelbot/core";
import { PLAIN } from "../output/style.ts";
import { profileLines } from "./profile.ts";

const of = (name: string) => ({ runId: 1, target: "cpu", name });

test("a profile has a table and the share of each row for a case, and the texts of device profilers", () => {
  const call = (name: string, ts: number) => ({ ph: "X", name, cat: "cpu_op", ts, dur: 90, pid: 1, tid: 2 });
  const summary = summarizeProfile(
    parseTrace([call("aten::add", 0), call("aten::add", 100), call("aten::mul", 210)]) ?? [],
  );
  const profile: Profile = {
    traces: [
      { ...of("profile.0.trace.json.gz"), summary, problem: null },
      { ...of("profile.1.trace.json.gz"), summary: null, problem: "It contains no calls." },
    ],
    reports: [{ ...of("profile.0.rocprof.txt"), text: "kernels\n" }],
    omitted: 1,
  };
  expect(profileLines(profile, "12", 80, PLAIN)).toEqual([
    "Profile of case 1 on cpu",
    "share      self     total      mean  calls  operation",
    " 67 %  180.0 µs  180.0 µs  90.00 µs      2  aten::add",
    " 33 %  90.00 µs  90.00 µs  90.00 µs      1  aten::mul",
    "Timeline, 300.0 µs:",
    "  thread 2: 90 % busy",
    "",
    "Profile of case 2 on cpu",
    "The trace cannot be read: It contains no calls.",
    "",
    "rocprofv3: case 1 on cpu",
    "kernels",
    "",
    "1 more file; kernelbot show 12 --out DIR saves the files.",
  ]);
});
