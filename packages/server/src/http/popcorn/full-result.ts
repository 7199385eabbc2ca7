/** The whole result of a run as the client's streams carry it, with its profile where it has one. */
import { buffer } from "node:stream/consumers";
import { cleaned, machineName, runReport, type Artifact, type RunDetail } from "@kernelbot/core";
import { compute } from "../../compute/pool.ts";
import type { Faces } from "../faces.ts";
import { stageResult } from "./results.ts";
import { wordOf } from "./words.ts";

/** What a stream carries of a profile, in bytes before it is packed; the rest is told as a link. */
const MAX_ZIP_BYTES = 16 * 1024 * 1024;

/** Where the whole profile is, and the only benchmark case whose files are wanted; null for all. */
interface Wanted {
  link: string;
  benchmark: number | null;
}

export async function fullResult(faces: Faces, run: RunDetail, wanted: Wanted) {
  return {
    success: run.verdict === "passed" || run.verdict === "failed",
    error: run.verdict === "passed" ? "" : cleaned(run.message ?? ""),
    system: systemOf(run),
    runs:
      run.mode === "profile"
        ? await profileRuns(faces, run, wanted)
        : Object.fromEntries(
            run.stages
              .filter(({ stage }) => stage !== "prepare")
              .map(({ stage }) => [stage === "ranked" ? "leaderboard" : stage, stageRun(run, stage)]),
          ),
  };
}

function systemOf({ machine }: RunDetail) {
  return {
    gpu: machine?.accelerators[0]?.model ?? "",
    device_count: machine?.accelerators.length ?? 0,
    cpu: machine?.cpu.model ?? "",
    runtime: machine?.runtime ?? "",
    platform: machine === null ? "" : `${machine.os} ${machine.arch}`,
    torch: machine?.frameworks.torch ?? "",
    // The name of a box is its operator's; what runs there is told.
    hostname: machine === null ? "" : machineName(machine),
  };
}

function stageRun(run: RunDetail, stage: RunDetail["stages"][number]["stage"]) {
  const found = run.stages.find((each) => each.stage === stage);
  return {
    start: run.startedAt,
    end: run.finishedAt,
    compilation: null,
    run: {
      success: true,
      passed: found?.passed === true,
      command: "",
      stdout: cleaned(found?.output == null ? "" : found.output.head + found.output.tail),
      stderr: cleaned(found?.passed === true ? (run.message ?? "") : runReport(run)),
      exit_code: found?.passed === true ? 0 : 1,
      duration: (found?.durationNs ?? 0) / 1e9,
      result: stageResult(run, stage) ?? {},
    },
    profile: null,
  };
}

/** A run for each tool that profiled: its tables as reports, and all files in one archive. */
async function profileRuns(faces: Faces, run: RunDetail, { link, benchmark }: Wanted) {
  const artifacts = run.artifacts.filter(({ name }) => benchmark === null || name.startsWith(`profile.${benchmark}.`));
  const stage = stageRun(run, "profile");
  const tables = await Promise.all(
    artifacts
      .filter(({ mediaType }) => mediaType === "text/plain")
      .map(async (artifact) => ({ artifact, text: (await read(faces, artifact)) ?? new Uint8Array() })),
  );
  const cases = run.stages.find((each) => each.stage === "profile")?.cases ?? [];
  const spec = (name: string) => stage.run.result[`benchmark.${/\.(\d+)\./.exec(name)?.[1] ?? ""}.spec`] ?? name;
  const result = Object.fromEntries(
    tables.flatMap(({ artifact, text }, index) => [
      [`benchmark.${index}.spec`, `${spec(artifact.name)} (${artifact.name})`],
      [`benchmark.${index}.report`, Buffer.from(text).toString("base64")],
    ]),
  );
  const profiler = cases.length === 0 ? "none" : "torch.profiler";
  return {
    [`${wordOf("profile")}.0`]: {
      ...stage,
      // The client takes a number here, and nothing else.
      run: { ...stage.run, result: { ...result, "benchmark-count": tables.length } },
      profile: { profiler, trace: await archive(faces, artifacts), download_url: link },
    },
  };
}

/** The files of a profile as a zip in base64, from the first on, as many as fit. */
async function archive(faces: Faces, artifacts: readonly Artifact[]): Promise<string> {
  const files: Record<string, Uint8Array> = {};
  let room = MAX_ZIP_BYTES;
  for (const artifact of artifacts) {
    if (artifact.sizeBytes > room) continue;
    const bytes = await read(faces, artifact);
    if (bytes === null) continue;
    room -= artifact.sizeBytes;
    files[artifact.name] = bytes;
  }
  return compute("zip", files);
}

async function read({ store }: Faces, { sha256, sizeBytes }: Artifact): Promise<Uint8Array | null> {
  if (sizeBytes > MAX_ZIP_BYTES) return null;
  const stream = await store.get(sha256);
  return stream === null ? null : buffer(stream);
}
