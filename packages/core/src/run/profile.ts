/** Profile of a submission: its traces, summarized, and the texts of device profilers. */
import { z } from "zod";
import { TargetName } from "../vocabulary/specification.ts";
import { ProfileSummary } from "./profile-summary.ts";

const OfRun = z.object({
  runId: z.int(),
  target: TargetName,
  /** Name of the file, which numbers the benchmark cases from 0: `profile.0.trace.json.gz`. */
  name: z.string(),
});

/** Trace of a benchmark case, written by the profiler in the submission's process and not verified by the judge. */
export const ProfileTrace = OfRun.extend({
  /** Null if the trace cannot be read. */
  summary: ProfileSummary.nullable(),
  /** Why the trace cannot be read; null if it can. */
  problem: z.string().nullable(),
});
export type ProfileTrace = z.infer<typeof ProfileTrace>;

/** Report of Nsight Compute or rocprofv3 about a benchmark case. */
export const ProfileReport = OfRun.extend({
  /** The report as text; of one above 64 KiB the beginning, and a last line that says so. */
  text: z.string(),
});
export type ProfileReport = z.infer<typeof ProfileReport>;

export const Profile = z.object({
  traces: z.array(ProfileTrace),
  reports: z.array(ProfileReport),
  /** Number of further traces and reports, which are files only. */
  omitted: z.int(),
});
export type Profile = z.infer<typeof Profile>;

/** Formats the benchmark case of a profile's file, from 1 as in the tester's texts: `case 1` for `profile.0.trace.json.gz`. */
export function profiledCase(name: string): string {
  return `case ${Number(/\d+/.exec(name)?.[0] ?? 0) + 1}`;
}

/** Returns the profiler that wrote a report. */
export function profilerOf(name: string): string {
  return name.endsWith(".rocprof.txt") ? "rocprofv3" : "Nsight Compute";
}

/** Files that only a viewer of their vendor reads, by the end of their names: why, and how they are opened. */
export const PROFILE_VIEWERS: readonly { ending: string; advice: string }[] = [
  {
    ending: ".ncu-rep",
    advice:
      "has the metrics of all kernels in a format of NVIDIA's, which this server does not read: open it with ncu-ui, or print it with ncu --import",
  },
  {
    ending: ".pftrace",
    advice:
      "has the calls on a timeline in the format of Perfetto, which this server does not read: drop it on ui.perfetto.dev",
  },
];
