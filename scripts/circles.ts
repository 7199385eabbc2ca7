/** Finds circles in graphs of what imports what. */

/** Returns the nodes of a graph that are in a circle or lead to one, in the order of the graph. */
export function circularNodes(graph: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const left = new Map(graph);
  for (;;) {
    const free = [...left].filter(([, others]) => ![...others].some((other) => left.has(other)));
    if (free.length === 0) return [...left.keys()];
    for (const [node] of free) left.delete(node);
  }
}

/**
 * Returns the imports, as `FILE imports FILE`, between folders of one package that import each other in a circle. A file
 * next to the folders counts as a folder of its own.
 * @param imports Pairs of files of which the first one imports the second.
 */
export function folderCircles(imports: readonly (readonly [from: string, to: string])[]): string[] {
  const graph = new Map<string, Set<string>>();
  const between = imports.flatMap(([from, to]) => {
    const [one, other] = [folderOf(from), folderOf(to)];
    return one === null || other === null || one === other ? [] : { one, other, line: `${from} imports ${to}` };
  });
  for (const { one, other } of between) {
    graph.set(one, (graph.get(one) ?? new Set()).add(other));
    if (!graph.has(other)) graph.set(other, new Set());
  }
  const circular = new Set(circularNodes(graph));
  return between.filter(({ one, other }) => circular.has(one) && circular.has(other)).map(({ line }) => line);
}

/**
 * Returns the folder of a file in the sources of a package; null for tests and for packages without such folders. The server
 * has a table of its own in `.dependency-cruiser.js`, which distinguishes routes.
 */
function folderOf(path: string): string | null {
  if (path.endsWith(".test.ts")) return null;
  return /^packages\/(?!server\/|testing\/)[^/]+\/src\/[^/]+/.exec(path)?.[0] ?? null;
}
