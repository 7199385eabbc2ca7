/** Returns a manifest of a snapshot of the given competitions. */
import type { SnapshotManifest } from "@kernelbot/core";
import { competitionFiles, DEDUPLICATION_RULE, SHARED_FILES } from "@kernelbot/dataset";

export function manifestOf(names: readonly string[], change: Partial<SnapshotManifest> = {}): SnapshotManifest {
  const file = ({ path }: { path: string }): SnapshotManifest["files"][number] => ({
    path,
    sizeBytes: 2048,
    sha256: "0".repeat(64),
    rows: 3,
  });
  return {
    format: "kernelbot-dataset-1",
    id: 7,
    createdAt: "2026-05-01T00:00:00.000Z",
    asOf: "2026-05-01T00:00:00.000Z",
    provisional: false,
    source: "https://kernels.example.org",
    competitions: names.map((name) => ({
      name,
      title: `The kernels of ${name}`,
      startedAt: "2026-03-01T12:00:00.000Z",
      endedAt: "2026-04-01T12:00:00.000Z",
      problems: ["vectoradd", "sort"],
      targets: ["cpu", "H100"],
      submissions: 600,
      runs: 1200,
      users: 12,
      withheld: 3,
      unfinished: 0,
      licences: { MIT: 400, "CC-BY-4.0": 200 },
    })),
    deduplication: DEDUPLICATION_RULE,
    withdrawn: [],
    files: [...SHARED_FILES, ...names.flatMap(competitionFiles)].map(file),
    ...change,
  };
}
