import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { withContents } from "./solution.ts";

const DOCUMENT = JSON.stringify({ name: "fast", sources: [{ path: "main.py" }, { path: "lib/part.py" }] });

function folderOf(links: Record<string, string> = {}): string {
  const folder = join(mkdtempSync(join(tmpdir(), "solution-")), "fast");
  mkdirSync(join(folder, "lib"), { recursive: true });
  writeFileSync(join(folder, "../secret.txt"), "token\n");
  writeFileSync(join(folder, "main.py"), "x = 1\n");
  for (const [path, to] of Object.entries(links)) symlinkSync(to, join(folder, path));
  return join(folder, "fast.json");
}

test("the sources of a solution are read from its folder, through links within it too", async () => {
  const read = await withContents(folderOf({ "lib/part.py": "../main.py" }), DOCUMENT);
  expect(JSON.parse(read)).toMatchObject({ sources: [{ content: "x = 1\n" }, { content: "x = 1\n" }] });
});

test.each([
  ["a file", { "lib/part.py": "../../secret.txt" }],
  ["a file by its absolute path", { "lib/part.py": "/etc/hostname" }],
])("a source that is a link to %s outside of the solution's folder is refused", async (_, links) => {
  await expect(withContents(folderOf(links), DOCUMENT)).rejects.toThrow(
    'the source "lib/part.py" is a link out of its folder; copy the file there',
  );
});

test("a source that does not exist is left without content", async () => {
  const read = await withContents(folderOf(), DOCUMENT);
  expect(JSON.parse(read)).toMatchObject({ sources: [{ content: "x = 1\n" }, { path: "lib/part.py" }] });
});
