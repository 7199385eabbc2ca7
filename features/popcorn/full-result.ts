/** The complete result of a run for the client's streams, with its profile if it has one. */
import { buffer } from "node:stream/consumers";
import { sanitize, machineName, runReport, type Artifact, type RunDetail } from "@kernelbot/core";
import { compute } from "@kernelbot/server/src/compute/pool.ts";
import type { Services } from "@kernelbot/server/src/services.ts";
import { stageResult } from "./results.ts";
import { wordOf } from "./terms.ts";

/** Maximum size of a profile in a stream, in bytes before compression; larger files are available only by the link. */
const MAX_ZIP_BYTES = 16 * 1024 * 1024;

/** Link to the complete profile, and the only benchmark case whose files are wanted; null for all. */
interface ProfileSelection {
  link: string;
  benchmark: number | null;
}

export async function fullResult(services: Services, run: RunDetail, selection: ProfileSelection) {
  return {
    success: run.verdict === "passed" || run.verdict === "failed",
    error: run.verdict === "passed" ? "" : sanitize(run.message ?? ""),
    system: systemOf(run),
    runs:
      run.mode === "profile"
        ? await profileRuns(services, run, selection)
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
    // Host names are private to the operator of the machine, so the client gets a description of the hardware.
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
      stdout: sanitize(found?.output == null ? "" : found.output.head + found.output.tail),
      stderr: sanitize(found?.passed === true ? (run.message ?? "") : runReport(run)),
      exit_code: found?.passed === true ? 0 : 1,
      duration: (found?.durationNs ?? 0) / 1e9,
      result: stageResult(run, stage) ?? {},
    },
    profile: null,
  };
}

/** Returns the files of a profile, of all benchmark cases or of one. */
export function artifactsOf({ artifacts }: RunDetail, benchmark: number | null): RunDetail["artifacts"] {
  return artifacts.filter(({ name }) => benchmark === null || name.startsWith(`profile.${benchmark}.`));
}

/** Returns the profile as one of the client's runs: the tables as reports, and all files in one archive. */
async function profileRuns(services: Services, run: RunDetail, { link, benchmark }: ProfileSelection) {
  const artifacts = artifactsOf(run, benchmark);
  const stage = stageRun(run, "profile");
  const tables = await Promise.all(
    artifacts
      .filter(({ mediaType }) => mediaType === "text/plain")
      .map(async (artifact) => ({ artifact, text: (await read(services, artifact)) ?? new Uint8Array() })),
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
      // The client expects a number here.
      run: { ...stage.run, result: { ...result, "benchmark-count": tables.length } },
      profile: { profiler, trace: await archive(services, artifacts), download_url: link },
    },
  };
}

/** Returns the files of a profile as a base64 zip: in order, each that still fits into the limit. */
async function archive(services: Services, artifacts: readonly Artifact[]): Promise<string> {
  const files: Record<string, Uint8Array> = {};
  let room = MAX_ZIP_BYTES;
  for (const artifact of artifacts) {
    if (artifact.sizeBytes > room) continue;
    const bytes = await read(services, artifact);
    if (bytes === null) continue;
    room -= artifact.sizeBytes;
    files[artifact.name] = bytes;
  }
  return compute("zip", files);
}

async function read({ store }: Services, { sha256, sizeBytes }: Artifact): Promise<Uint8Array | null> {
  if (sizeBytes > MAX_ZIP_BYTES) return null;
  const stream = await store.get(sha256);
  return stream === null ? null : buffer(stream);
}
