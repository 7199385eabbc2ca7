import { readdirSync, readFileSync } from "node:fs";
import { join, parse } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { circularNodes, folderCircles } from "./circles.ts";

const ROOT = join(import.meta.dirname, "..");

test("folders that import each other are found with the files that do", () => {
  expect(
    folderCircles([
      ["packages/cli/src/command/request.ts", "packages/cli/src/config/config.ts"],
      ["packages/cli/src/config/login.ts", "packages/cli/src/command/exit.ts"],
      ["packages/cli/src/config/config.ts", "packages/cli/src/config/login.ts"],
      ["packages/cli/src/command/exit.ts", "packages/cli/src/output/text.ts"],
      ["packages/cli/src/output/text.test.ts", "packages/cli/src/command/exit.ts"],
    ]),
  ).toEqual([
    "packages/cli/src/command/request.ts imports packages/cli/src/config/config.ts",
    "packages/cli/src/config/login.ts imports packages/cli/src/command/exit.ts",
  ]);
});

test("a file next to folders may be imported by them", () => {
  expect(
    folderCircles([
      ["packages/cli/src/main.ts", "packages/cli/src/mcp/server.ts"],
      ["packages/cli/src/mcp/server.ts", "packages/cli/src/version.ts"],
    ]),
  ).toEqual([]);
});

test("the table of the server's folders has no circle", async () => {
  const Config = z.object({ SERVER_FOLDERS: z.record(z.string(), z.array(z.string())) });
  const { SERVER_FOLDERS } = Config.parse(await import(join(ROOT, ".dependency-cruiser.js")));
  const rows = Object.entries(SERVER_FOLDERS).map(([folder, others]) => [folder, new Set(others)] as const);
  expect(circularNodes(new Map(rows))).toEqual([]);
});

test("the C files of the tester do not include each other's headers in a circle", () => {
  const native = join(ROOT, "tester/native");
  const included = new Map<string, Set<string>>();
  for (const file of readdirSync(native).filter((name) => /\.[ch]$/.test(name))) {
    const { name } = parse(file);
    const headers = readFileSync(join(native, file), "utf8").matchAll(/^#include "(.+)\.h"$/gm);
    const others = [...headers].flatMap(([, header = ""]) => (header === name ? [] : header));
    included.set(name, new Set([...(included.get(name) ?? []), ...others]));
  }
  expect(included.get("freeze")).toContain("processes");
  expect(circularNodes(included)).toEqual([]);
});
