import { formatBytes, type Artifact } from "@kernelbot/core";
import { textBlock, type Page } from "./run.ts";
import { table } from "./table.ts";

/** The files of a run: the texts among them, then all of them with their sizes and, in `where`, how to get at them. */
export function artifactLines(
  artifacts: readonly Artifact[],
  texts: ReadonlyMap<string, string>,
  where: string,
  page: Page,
): string[] {
  if (artifacts.length === 0) return [];
  const { style, width } = page;
  const rows = artifacts.map(({ name, sizeBytes }) => [name, formatBytes(sizeBytes)]);
  const list = table([{ title: "file" }, { title: "size", side: "right" }], rows, width - 2, style);
  return [
    ...artifacts.flatMap(({ name }) => textBlock(name, texts.get(name) ?? null, page)),
    "",
    ...list.map((line) => `  ${line}`),
    `  ${where}`,
  ];
}
