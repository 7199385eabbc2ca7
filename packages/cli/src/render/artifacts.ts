import { formatBytes, type RunArtifact } from "@kernelbot/core";
import type { Page } from "./page.ts";
import { textBlock } from "./run.ts";
import { table } from "./table.ts";
import { moment } from "./format.ts";

/** Formats a run's artifacts: the contents of texts, then a table with sizes and, in `where`, how to get the files. */
export function artifactLines(
  artifacts: readonly RunArtifact[],
  texts: ReadonlyMap<string, string>,
  where: string,
  page: Page,
): string[] {
  if (artifacts.length === 0) return [];
  const { style, width } = page;
  const rows = artifacts.map(({ name, sizeBytes, deletedAt }) => [
    name,
    deletedAt === null ? formatBytes(sizeBytes) : `deleted ${moment(deletedAt).slice(0, 10)}`,
  ]);
  const allDeleted = artifacts.every(({ deletedAt }) => deletedAt !== null);
  const list = table([{ title: "file" }, { title: "size", side: "right" }], rows, width - 2, style);
  return [
    ...artifacts.flatMap(({ name }) => textBlock(name, texts.get(name) ?? null, page)),
    "",
    ...list.map((line) => `  ${line}`),
    allDeleted ? "  The files have expired. Submit with mode profile to create them again." : `  ${where}`,
  ];
}
