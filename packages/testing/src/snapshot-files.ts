/** Creates snapshot directories with made-up table contents, for tests of publishing. */
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { inject } from "vitest";
import type { SnapshotManifest } from "@kernelbot/core";
import { cardText, competitionFiles, DEDUPLICATION_RULE, SHARED_FILES } from "@kernelbot/dataset";

/** Creates the files. @param contents Contents of tables by path; other tables contain their own path. */
export async function snapshotFiles(
  id: number,
  competitions: readonly string[],
  contents: Record<string, string> = {},
  directory?: string,
): Promise<{ directory: string; manifest: SnapshotManifest }> {
  const into = directory ?? (await mkdtemp(join(inject("scratch"), "snapshot-")));
  const write = async (path: string, text: string): Promise<SnapshotManifest["files"][number]> => {
    await mkdir(dirname(join(into, path)), { recursive: true });
    await writeFile(join(into, path), text);
    return { path, sizeBytes: text.length, sha256: createHash("sha256").update(text).digest("hex"), rows: 1 };
  };
  const paths = [...SHARED_FILES, ...competitions.flatMap(competitionFiles)].map(({ path }) => path);
  const manifest: SnapshotManifest = {
    format: "kernelbot-dataset-1",
    id,
    createdAt: "2026-05-01T00:00:00.000Z",
    asOf: "2026-05-01T00:00:00.000Z",
    provisional: false,
    source: null,
    competitions: competitions.map((name) => ({
      name,
      title: name,
      startedAt: "2026-03-01T12:00:00.000Z",
      endedAt: "2026-04-01T12:00:00.000Z",
      problems: ["double"],
      targets: ["cpu"],
      submissions: 1,
      runs: 1,
      users: 1,
      withheld: 0,
      unfinished: 0,
      licences: { MIT: 1 },
    })),
    deduplication: DEDUPLICATION_RULE,
    withdrawn: [],
    files: await Promise.all(paths.map((path) => write(path, contents[path] ?? path))),
  };
  manifest.files.push({ ...(await write("README.md", cardText(manifest))), rows: null });
  await write("dataset.json", JSON.stringify(manifest));
  return { directory: into, manifest };
}
