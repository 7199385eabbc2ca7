/**
 * Holds the arrows of the house: who may import whom. Faces call rooms; no room imports a face.
 *
 *     core <- tester/node <- runner, cli        core <- web <- server/src/http        rooms of the server <- faces
 *     core <- dataset <- cli, server/src/dataset
 */
import { globSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

/** Each area of the tree, and the areas that it may import besides itself. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  "packages/core": [],
  "packages/web": ["packages/core"],
  "tester/node": ["packages/core"],
  "packages/runner": ["packages/core", "tester/node"],
  "packages/dataset": ["packages/core"],
  "packages/cli": ["packages/core", "packages/dataset", "tester/node"],
  "packages/server/src/db": ["packages/core"],
  "packages/server/src/people": ["packages/core", "packages/server/src/db"],
  "packages/server/src/competitions": ["packages/core", "packages/server/src/db", "packages/server/src/people"],
  "packages/server/src/problems": [
    "packages/core",
    "packages/server/src/competitions",
    "packages/server/src/db",
    "packages/server/src/people",
  ],
  "packages/server/src/intake": [
    "packages/core",
    "packages/server/src/competitions",
    "packages/server/src/db",
    "packages/server/src/people",
    "packages/server/src/problems",
    "packages/server/src/runs",
  ],
  "packages/server/src/queue": [
    "packages/core",
    "packages/server/src/competitions",
    "packages/server/src/db",
    "packages/server/src/intake",
    "packages/server/src/runners",
    "packages/server/src/runs",
  ],
  "packages/server/src/artifacts": ["packages/core", "packages/server/src/db"],
  "packages/server/src/runs": [
    "packages/core",
    "packages/server/src/artifacts",
    "packages/server/src/competitions",
    "packages/server/src/db",
  ],
  "packages/server/src/runners": [
    "packages/core",
    "packages/server/src/db",
    "packages/server/src/people",
    "packages/server/src/runs",
  ],
  "packages/server/src/boards": [
    "packages/core",
    "packages/server/src/competitions",
    "packages/server/src/db",
    "packages/server/src/problems",
  ],
  "packages/server/src/moderation": [
    "packages/core",
    "packages/server/src/boards",
    "packages/server/src/competitions",
    "packages/server/src/compute",
    "packages/server/src/db",
    "packages/server/src/intake",
    "packages/server/src/people",
    "packages/server/src/problems",
    "packages/server/src/runs",
  ],
  "packages/server/src/webhooks": [
    "packages/core",
    "packages/server/src/boards",
    "packages/server/src/competitions",
    "packages/server/src/db",
  ],
  "packages/server/src/kernelbench": [
    "packages/core",
    "packages/server/src/competitions",
    "packages/server/src/compute",
    "packages/server/src/db",
    "packages/server/src/github",
    "packages/server/src/intake",
    "packages/server/src/people",
    "packages/server/src/problems",
    "packages/server/src/queue",
    "packages/server/src/runs",
  ],
  "packages/server/src/dataset": [
    "packages/core",
    "packages/dataset",
    "packages/server/src/artifacts",
    "packages/server/src/boards",
    "packages/server/src/competitions",
    "packages/server/src/db",
    "packages/server/src/people",
    "packages/server/src/problems",
    "packages/server/src/runs",
  ],
  "packages/server/src/launchers": [
    "packages/core",
    "packages/server/src/db",
    "packages/server/src/github",
    "packages/server/src/people",
    "packages/server/src/runs",
  ],
  "packages/server/src/observe": ["packages/core"],
  "packages/server/src/clients": ["packages/core", "packages/server/src/people"],
  // Pure functions in threads: pages are rendered there too.
  "packages/server/src/compute": ["packages/core", "packages/web"],
  "packages/server/src/operations": [
    "packages/core",
    "packages/server/src/artifacts",
    "packages/server/src/db",
    "packages/server/src/runs",
  ],
  "packages/server/src/github": ["packages/core"],
  // A face, which calls rooms as http does; http hands it what comes by its route.
  "packages/server/src/discord": [
    "packages/core",
    "packages/server/src/artifacts",
    "packages/server/src/boards",
    "packages/server/src/competitions",
    "packages/server/src/dataset",
    "packages/server/src/db",
    "packages/server/src/intake",
    "packages/server/src/moderation",
    "packages/server/src/people",
    "packages/server/src/problems",
    "packages/server/src/runs",
  ],
  "packages/server/src/http": ["packages/core", "packages/dataset", "packages/web", "packages/server/src"],
  "packages/server/src": ["packages/core"],
};

/** Modules that would bring I/O into the pure core. */
const NODE_MODULE = /^(node:|fs|path|crypto$|child_process)/;

const WORKSPACES: Record<string, string> = {
  "@kernelbot/core": "packages/core",
  "@kernelbot/server": "packages/server/src",
  "@kernelbot/runner": "packages/runner",
  "@kernelbot/cli": "packages/cli",
  "@kernelbot/dataset": "packages/dataset",
  "@kernelbot/web": "packages/web",
  "@kernelbot/tester": "tester/node",
};

/** One sentence per import that goes against an arrow, given a file's path inside the repository and its text. */
export function wrongImports(path: string, text: string): string[] {
  const area = areaOf(path);
  if (area === undefined || path.endsWith(".test.ts")) return [];
  return importsOf(text).flatMap((specifier) => {
    if (area === "packages/core" && NODE_MODULE.test(specifier)) {
      return [`${path}: imports ${specifier}, but core has no I/O and must run in a browser`];
    }
    const target = specifier.startsWith(".")
      ? areaOf(join(dirname(path), specifier))
      : WORKSPACES[specifier.split("/").slice(0, 2).join("/")];
    if (target === undefined || target === area || allowed(area, target)) return [];
    return [`${path}: ${area} may not import ${target} (${specifier})`];
  });
}

function allowed(area: string, target: string): boolean {
  // The server's top level (main.ts) wires its rooms and faces together.
  if (area === "packages/server/src") return target.startsWith("packages/server/src") || target === "packages/core";
  // What each room tells of itself.
  if (target === "packages/server/src/observe") return area.startsWith("packages/server/src/");
  return (MAY_IMPORT[area] ?? []).some((prefix) => target === prefix || target.startsWith(`${prefix}/`));
}

function areaOf(path: string): string | undefined {
  return Object.keys(MAY_IMPORT)
    .filter((area) => path.startsWith(`${area}/`))
    .toSorted((a, b) => b.length - a.length)[0];
}

function importsOf(text: string): string[] {
  const pattern = /(?:\bfrom\s*|\bimport\s*\(?\s*)["']([^"']+)["']/g;
  return Array.from(text.matchAll(pattern), (match) => match[1] as string);
}

if (import.meta.main) {
  const root = resolve(import.meta.dirname, "..");
  const files = globSync(["packages/*/src/**/*.ts", "tester/node/**/*.ts"], { cwd: root });
  const wrong = files.flatMap((path) =>
    wrongImports(relative(root, join(root, path)), readFileSync(join(root, path), "utf8")),
  );
  for (const sentence of wrong) console.error(sentence);
  if (wrong.length > 0) process.exit(1);
  console.log(`${files.length} files follow the arrows`);
}
