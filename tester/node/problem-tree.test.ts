import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readProblemFolder } from "./problem-tree.ts";

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "kernelbot-tree-"));
  await write(
    "set/add_py/task.yml",
    'description: d\ntests: [{ n: 1 }]\nbenchmarks: [{ n: 1 }]\nfiles: [{ name: utils.py, source: "../utils.py" }]\n',
  );
  await write("set/utils.py", "# shared");
});
afterEach(() => rm(root, { recursive: true }));

async function write(path: string, text: string): Promise<void> {
  await mkdir(join(root, dirname(path)), { recursive: true });
  await writeFile(join(root, path), text);
}

const read = (targets: string[] = []) => readProblemFolder(join(root, "set/add_py"), targets);

test("an uploaded directory has the name and targets of the competition file above it", async () => {
  const entries = ["add", "sub"].map(
    (name) => `{ directory: set/${name}_py, name: ${name}, deadline: "2100-01-01", gpus: [MI300] }`,
  );
  await write("spring.yaml", `name: Spring\nproblems: [${entries.join(", ")}]\n`);
  const tree = await read(["L4"]);
  expect(Object.keys(tree).toSorted()).toEqual(["set/add/task.yml", "set/utils.py"]);
  expect(tree["set/add/task.yml"]).toContain('gpus: ["MI300"]');
});

test("an uploaded directory for which no file names a target has the requested one", async () => {
  expect((await read())["set/add_py/task.yml"]).not.toContain("gpus");
  expect((await read(["L4", "H100"]))["set/add_py/task.yml"]).toContain('gpus: ["L4"]');
});
