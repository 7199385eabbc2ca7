/**
 * Draws the imports between packages, and between the features of the server, into `docs/architecture.md`, from the
 * real imports: `npm run generate:architecture`.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cruise, type ICruiseResult } from "dependency-cruiser";
import extractOptions from "dependency-cruiser/config-utl/extract-depcruise-options";
import { format } from "prettier";

const ROOT = join(import.meta.dirname, "..");

/** Folders of the server that nearly every feature imports. Their arrows are left out. */
const FOUNDATIONS = ["auth", "db", "observe", "http"];

type Graph = Map<string, Set<string>>;

/** Returns the page with both diagrams drawn from the imports of a cruise. */
export async function drawn(page: string, cruised: ICruiseResult): Promise<string> {
  const imports = listImports(cruised);
  const packages = graphOf(imports, packageOf);
  const features = graphOf(imports, featureOf);
  for (const name of FOUNDATIONS) features.delete(name);
  for (const others of features.values()) for (const name of FOUNDATIONS) others.delete(name);
  const text = replaced(replaced(page, "packages", packages), "features", features);
  return format(text, { parser: "markdown", printWidth: 150 });
}

/** Returns the pairs of product files of which one imports the other. */
function listImports({ modules }: ICruiseResult): [from: string, to: string][] {
  return modules
    .filter(({ source }) => !source.endsWith(".test.ts"))
    .flatMap(({ source, dependencies }) => dependencies.map(({ resolved }): [string, string] => [source, resolved]));
}

function packageOf(path: string): string | undefined {
  const name = /^(?:packages\/([^/]+)\/(?:src|bin)|(tester)\/node)\//.exec(path);
  return name?.[1] ?? name?.[2];
}

/** Returns the feature of a file's domain code; routes belong to none, since they may import every feature. */
function featureOf(path: string): string | undefined {
  return /^packages\/server\/src\/([^/]+)\/(?!routes\/)/.exec(path)?.[1];
}

function graphOf(imports: readonly [string, string][], nodeOf: (path: string) => string | undefined): Graph {
  const graph: Graph = new Map();
  for (const [from, to] of imports) {
    const [one, other] = [nodeOf(from), nodeOf(to)];
    if (one === undefined) continue;
    const others = graph.get(one) ?? new Set();
    graph.set(one, others);
    if (other !== undefined && other !== one) others.add(other);
  }
  return graph;
}

/** Removes each arrow that a longer path implies. The graph has no cycles. */
function reduced(graph: Graph): Graph {
  const reaches = (from: string, to: string): boolean =>
    [...(graph.get(from) ?? [])].some((next) => next === to || reaches(next, to));
  return new Map(
    [...graph].map(([from, others]) => [
      from,
      new Set([...others].filter((to) => ![...others].some((next) => next !== to && reaches(next, to)))),
    ]),
  );
}

function replaced(page: string, name: string, graph: Graph): string {
  const lines = [...reduced(graph)]
    .toSorted(([one], [other]) => one.localeCompare(other))
    .flatMap(([from, others]) =>
      others.size === 0 ? [`  ${from}`] : [...others].toSorted().map((to) => `  ${from} --> ${to}`),
    );
  const [start, end] = [`<!-- generated: ${name} -->`, `<!-- end: ${name} -->`];
  const before = page.indexOf(start);
  const after = page.indexOf(end);
  if (before < 0 || after < before) throw new Error(`the page lacks ${start} or ${end}`);
  const diagram = ["```mermaid", "flowchart TD", ...lines, "```"].join("\n");
  return `${page.slice(0, before + start.length)}\n\n${diagram}\n\n${page.slice(after)}`;
}

if (import.meta.main) {
  const page = join(ROOT, "docs/architecture.md");
  const options = await extractOptions(join(ROOT, ".dependency-cruiser.js"));
  const { output } = await cruise(["packages", "tester/node"], { ...options, baseDir: ROOT, validate: false });
  if (typeof output === "string") throw new Error(output);
  writeFileSync(page, await drawn(readFileSync(page, "utf8"), output));
}
