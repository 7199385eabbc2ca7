import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { STRANGER } from "../auth/visibility.ts";
import { testDatabase } from "@kernelbot/testing/database.ts";
import { problemFiles, problemTree } from "@kernelbot/testing/fixtures.ts";
import { loadProblemDirectory } from "@kernelbot/tester/problem-directory";
import {
  countProblems,
  listFrontProblems,
  listProblems,
  listTags,
  readProblem,
  readProblemVersion,
} from "./problems.ts";
import { syncProblems } from "./sync.ts";

test("a problem consists of the text files in its directory, without folders, links and hidden files", async () => {
  const root = problemTree({ "set/double": { ...problemFiles(), "README.md": "# Double\n", ".hidden": "x" } });
  const directory = join(root, "set/double");
  mkdirSync(join(directory, "solutions"));
  writeFileSync(join(directory, "solutions/correct.py"), "pass\n");
  symlinkSync("/etc/passwd", join(directory, "secrets.txt"));
  const problem = await loadProblemDirectory(directory);
  expect(Object.keys(problem.files)).toEqual(["README.md", "reference.py", "task.yml"]);
  expect(problem.spec).toMatchObject({ name: "double", rankingBy: "mean" });
});

test("names a file that is not text", async () => {
  const root = problemTree({ "set/double": problemFiles() });
  writeFileSync(join(root, "set/double/data.bin"), Uint8Array.of(0xff, 0));
  await expect(loadProblemDirectory(join(root, "set/double"))).rejects.toThrow(
    'problem "double": "data.bin": the file is binary',
  );
});

test("stores problems with versions and boards, and reads them back unchanged", async () => {
  await using database = await testDatabase();
  const root = problemTree({ "set/double": problemFiles(), "other/triple": problemFiles() });
  const synced = await syncProblems(database, root);
  expect(synced.broken).toEqual([]);
  expect(synced.problems.map(({ name, changed }) => [name, changed])).toEqual([
    ["triple", true],
    ["double", true],
  ]);
  const [double] = await listProblems(database, STRANGER);
  expect(double).toMatchObject({
    name: "double",
    set: "set",
    description: "Doubles a vector.",
    targets: ["cpu", "H100"],
  });
  const problem = await loadProblemDirectory(join(root, "set/double"));
  expect(await readProblem(database, STRANGER, "double")).toEqual({ ...double, problem });
  expect(await readProblemVersion(database, double?.version ?? "")).toEqual(problem);
});

test("returns null for an unknown problem", async () => {
  await using database = await testDatabase();
  expect(await readProblem(database, STRANGER, "nothing")).toBeNull();
  expect(await readProblemVersion(database, "0".repeat(64))).toBeNull();
});

test("syncing the same tree changes nothing; changed content creates a new version", async () => {
  await using database = await testDatabase();
  const [first] = (await syncProblems(database, problemTree({ "set/double": problemFiles() }))).problems;
  const [again] = (await syncProblems(database, problemTree({ "set/double": problemFiles() }))).problems;
  expect(again).toEqual({ ...first, created: false, changed: false });
  const files = problemFiles((task) => task.replace("Doubles", "Nearly doubles"));
  const [second] = (await syncProblems(database, problemTree({ "set/double": files }))).problems;
  expect(second).toMatchObject({ changed: true });
  expect((await readProblem(database, STRANGER, "double"))?.version).toBe(second?.version);
  expect((await readProblemVersion(database, first?.version ?? ""))?.spec.description).toBe("Doubles a vector.");
});

test("reports an invalid problem, continues with the others, and keeps its previous version", async () => {
  await using database = await testDatabase();
  await syncProblems(database, problemTree({ "set/double": problemFiles() }));
  const root = problemTree({
    "set/double": problemFiles((task) => `${task}\nsurprise: 1\n`),
    "set/triple": problemFiles(),
  });
  const synced = await syncProblems(database, root);
  expect(synced.problems.map(({ name }) => name)).toEqual(["triple"]);
  expect(synced.broken).toEqual([
    { path: join(root, "set/double"), message: expect.stringContaining("surprise") as string },
  ]);
  expect((await listProblems(database, STRANGER)).map(({ name }) => name)).toEqual(["double", "triple"]);
});

test("reports a name used in two sets", async () => {
  await using database = await testDatabase();
  const root = problemTree({ "one/double": problemFiles(), "two/double": problemFiles() });
  const { broken } = await syncProblems(database, root);
  expect(broken).toEqual([{ path: join(root, "two/double"), message: 'problem "double" is already in the set "one"' }]);
});

test("competition files at the root name the problems of a folder and their targets", async () => {
  await using database = await testDatabase();
  const entry = (name: string, gpu: string) =>
    `{ directory: set/double_py, name: ${name}, deadline: "2100-01-01", gpus: [${gpu}] }`;
  const competition = `name: Spring\nproblems: [${entry("double-a", "MI300")}, ${entry("double-b", "L4")}]\n`;
  const root = problemTree({
    "": { "spring.yaml": competition },
    "set/double_py": problemFiles((task) => task.replace(/targets:[^]*?(?=\n\w|$)/, "")),
  });
  const { problems, broken } = await syncProblems(database, root);
  expect(broken).toEqual([]);
  expect(problems.map(({ name }) => name)).toEqual(["double-a", "double-b"]);
  expect(await listProblems(database, STRANGER)).toMatchObject([
    { name: "double-a", targets: ["MI300"] },
    { name: "double-b", targets: ["L4"] },
  ]);
});

test("all bundled problems are valid", async () => {
  await using database = await testDatabase();
  const { problems, broken } = await syncProblems(database, join(import.meta.dirname, "../../../../problems"));
  expect(broken).toEqual([]);
  expect(problems.map(({ name }) => name)).toContain("vectoradd");
});

test("a list can be read in pages, and the front page gets practice problems and their number", async () => {
  await using database = await testDatabase();
  const names = ["a", "b", "c", "d"];
  await syncProblems(database, problemTree(Object.fromEntries(names.map((name) => [`set/${name}`, problemFiles()]))));
  const page = await listProblems(database, STRANGER, { search: "vector" }, { from: 2, to: 3 });
  expect(page.map(({ name }) => name)).toEqual(["b", "c"]);
  expect(await countProblems(database, STRANGER, { search: "vector" })).toBe(4);
  expect(await countProblems(database, STRANGER, { search: "vector nothing" })).toBe(0);
  expect(await listFrontProblems(database, STRANGER)).toEqual({ names, practice: 4 });
});

test("a server at its start reports unchanged problems, stores changed ones, and keeps those of other sources", async () => {
  await using database = await testDatabase();
  const changed = problemFiles((task) => task.replace("Doubles", "Triples"));
  const origin = { source: "https://example.org/kernels", revision: null, accountId: null };
  await syncProblems(database, problemTree({ "set/double": problemFiles(), "set/triple": problemFiles() }));
  await syncProblems(database, problemTree({ "set/foreign": problemFiles() }), { origin });
  const tree = problemTree({ "set/double": problemFiles(), "set/triple": changed, "set/foreign": changed });
  const { problems, kept } = await syncProblems(database, tree, { keepForeign: true });
  expect(problems.map(({ name, changed }) => [name, changed])).toEqual([
    ["double", false],
    ["triple", true],
  ]);
  expect(kept).toEqual([{ name: "foreign", message: "it comes from https://example.org/kernels" }]);
  const moved = await syncProblems(database, problemTree({ "other/double": problemFiles() }), { keepForeign: true });
  expect(moved.problems).toMatchObject([{ name: "double", changed: true }]);
});

test("lists problems by tag and difficulty, and the tags of all", async () => {
  await using database = await testDatabase();
  const tagged = (lines: string): Record<string, string> => {
    const files = problemFiles();
    return { ...files, "task.yml": `${files["task.yml"]}\n${lines}` };
  };
  const { broken } = await syncProblems(
    database,
    problemTree({
      "set/sum": tagged("tags: [reduction, scan]\ndifficulty: introductory\n"),
      "set/softmax": tagged("tags: [reduction]\ndifficulty: advanced\n"),
      "set/double": problemFiles(),
      "set/wrong": tagged("tags: [Reduction]\n"),
      "set/twice": tagged("tags: [scan, scan]\n"),
      "set/hard": tagged("difficulty: hard\n"),
    }),
  );
  expect(broken.map(({ message }) => message)).toEqual([
    expect.stringContaining("difficulty"),
    expect.stringContaining("a tag occurs twice"),
    expect.stringContaining("use lower-case letters, digits and -"),
  ]);
  const names = async (filter: Parameters<typeof listProblems>[2]) =>
    (await listProblems(database, STRANGER, filter)).map(({ name }) => name);
  expect(await names({ tag: "reduction" })).toEqual(["softmax", "sum"]);
  expect(await names({ tag: "reduction", difficulty: "advanced" })).toEqual(["softmax"]);
  expect(await names({ tag: "sort" })).toEqual([]);
  expect(await countProblems(database, STRANGER, { difficulty: "introductory" })).toBe(1);
  expect(await listTags(database, STRANGER)).toEqual(["reduction", "scan"]);
  expect(await listProblems(database, STRANGER)).toMatchObject([
    { name: "double", tags: [], difficulty: null },
    { name: "softmax", tags: ["reduction"], difficulty: "advanced" },
    { name: "sum", tags: ["reduction", "scan"], difficulty: "introductory" },
  ]);
});
