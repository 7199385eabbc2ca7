/** Publishes to a dataset on the Hugging Face Hub, whose newest commit is the newest snapshot. */
import { competitionFiles, publishBranch, SHARED_FILES, type HubOptions } from "@kernelbot/dataset";
import type { Destination } from "../../dataset/publish/destination.ts";
import { backoffMs } from "../../jobs/backoff.ts";

/** @param wait Resolves after a delay in milliseconds, for tests. */
export function openHuggingFace(
  options: HubOptions,
  wait?: (ms: number, signal: AbortSignal) => Promise<unknown>,
): Destination {
  return {
    name: "hugging_face",
    // Earlier snapshots remain available by commit id.
    keepsEarlier: true,
    async publish({ manifest, files }, onProgress, signal) {
      const commit = await publishBranch(
        options,
        {
          type: "dataset",
          branch: "main",
          files,
          isStale: isOfASnapshot,
          title: `Snapshot ${manifest.id}`,
          description: `Data as of ${manifest.asOf}: ${manifest.competitions.map(({ name }) => name).join(", ")}.`,
        },
        {
          onProgress,
          signal,
          backoffMs: (tries) => backoffMs({ firstMs: 1000, maxMs: Infinity }, tries),
          ...(wait && { wait }),
        },
      );
      return `${options.hubUrl}/datasets/${options.repository}/tree/${commit}`;
    },
  };
}

/** Returns whether snapshots contain such a path. Other files of the dataset are never changed. */
function isOfASnapshot(path: string): boolean {
  const [first = ""] = path.split("/");
  return [...SHARED_FILES, ...competitionFiles(first)].some((file) => file.path === path);
}
