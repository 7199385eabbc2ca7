/** YAML header of a card, from which a dataset hub reads licences, sizes and the files of each table. */
import { sanitize, oneLine, type SnapshotManifest } from "@kernelbot/core";
import { stringify } from "yaml";
import { competitionFiles, CORPUS_VARIANTS, SHARED_FILES } from "../columns.ts";

interface Config {
  config_name: string;
  default?: true;
  data_files: { split: "train"; path: string[] }[];
}

const SIZES: readonly [number, string][] = [
  [1e3, "n<1K"],
  [1e4, "1K<n<10K"],
  [1e5, "10K<n<100K"],
  [1e6, "100K<n<1M"],
  [1e7, "1M<n<10M"],
  [1e8, "10M<n<100M"],
];

export function cardHeader(manifest: SnapshotManifest): string {
  const licences = licencesOf(manifest).map(([licence]) => licence.toLowerCase());
  const runs = manifest.competitions.reduce((sum, competition) => sum + competition.runs, 0);
  const header = {
    pretty_name: prettyName(manifest),
    license: licences.length === 0 ? "unknown" : licences,
    language: ["code"],
    tags: ["kernels", "gpu", "performance", "code-optimization", "cuda", "triton", "benchmark"],
    size_categories: [SIZES.find(([below]) => runs < below)?.[1] ?? "100M<n<1B"],
    configs: configsOf(manifest),
  };
  return `---\n${stringify(header, { lineWidth: 0 })}---\n`;
}

/** Returns the title of the card. */
export function prettyName({ competitions }: SnapshotManifest): string {
  const [first, ...others] = competitions;
  return first === undefined || others.length > 0
    ? "KernelBot kernels"
    : `Kernels of ${oneLine(sanitize(first.title))}`;
}

/** Counts submissions by licence, most used first. */
export function licencesOf({ competitions }: SnapshotManifest): [string, number][] {
  const counts = new Map<string, number>();
  for (const { licences } of competitions) {
    for (const [licence, submissions] of Object.entries(licences)) {
      counts.set(licence, (counts.get(licence) ?? 0) + submissions);
    }
  }
  return [...counts].filter(([, submissions]) => submissions > 0).toSorted((one, other) => other[1] - one[1]);
}

/**
 * Returns the tables that can be loaded by name: those of all competitions together, such as `facts`, and those of
 * each, such as `spring.facts`. Competition names contain no dot, so names never collide. Files without rows are
 * omitted: the `datasets` library fails at an empty file that is followed by others, and at a table without rows.
 */
function configsOf({ competitions, files }: SnapshotManifest): Config[] {
  const there = new Set(files.filter(({ rows }) => rows !== 0).map(({ path }) => path));
  const config = (config_name: string, paths: readonly string[]): Config[] => {
    const path = paths.filter((one) => there.has(one));
    if (path.length === 0) return [];
    return [{ config_name, ...(config_name === "facts" && { default: true }), data_files: [{ split: "train", path }] }];
  };
  const groups = competitions.map(({ name }) => ({ name, paths: groupPaths(name) }));
  const kinds = Object.keys(groupPaths(""));
  return [
    ...kinds.flatMap((kind) =>
      config(
        kind,
        groups.flatMap(({ paths }) => paths[kind] ?? []),
      ),
    ),
    ...SHARED_FILES.flatMap(({ path, kind }) => config(kind, [path])),
    ...groups.flatMap(({ name, paths }) =>
      Object.entries(paths).flatMap(([kind, path]) => config(`${name}.${kind}`, path)),
    ),
  ];
}

/** Returns the files of each table of a competition. */
function groupPaths(competition: string): Record<string, string[]> {
  const files = competitionFiles(competition);
  const paths = (kind: string): string[] => files.filter((file) => file.kind === kind).map(({ path }) => path);
  const corpus = paths("corpus");
  return {
    facts: paths("submissions"),
    ...Object.fromEntries(
      Object.entries(CORPUS_VARIANTS).map(([variant, parts]) => [
        variant,
        corpus.filter((path) => parts.some((part) => path.endsWith(`/${part}.parquet`))),
      ]),
    ),
    code: paths("code"),
    samples: paths("samples"),
  };
}
