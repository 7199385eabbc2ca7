import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { loadProblemDirectory } from "./problem-directory.ts";

let parent: string;
let directory: string;
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), "kernelbot-problem-"));
  directory = join(parent, "vectoradd");
  await mkdir(directory);
  await writeFile(
    join(directory, "task.yml"),
    "{ description: d, tests: [{ n: 1 }], benchmarks: [{ n: 1 }], gpus: [cpu] }",
  );
  await writeFile(join(directory, "reference.py"), "# the reference");
});
afterEach(() => rm(parent, { recursive: true }));

test("a problem has the name of its directory and its regular files, without sub-directories and links", async () => {
  await mkdir(join(directory, "solutions"));
  await symlink("/etc/hostname", join(directory, "link.py"));
  const problem = await loadProblemDirectory(`${directory}/`);
  expect(problem.spec.name).toBe("vectoradd");
  expect(Object.keys(problem.files).toSorted()).toEqual(["reference.py", "task.yml"]);
});

test("a file that is not text is named", async () => {
  await writeFile(join(directory, "weights.bin"), Buffer.from([0x80, 0xfe]));
  await expect(loadProblemDirectory(directory)).rejects.toThrow(/"weights\.bin": the file is not UTF-8 text/);
});

test("a file that is too large is named", async () => {
  await writeFile(join(directory, "big.py"), " ".repeat(1_000_001));
  await expect(loadProblemDirectory(directory)).rejects.toThrow(/big\.py" is larger than 1000000 bytes/);
});

test("a directory that is not there is named", async () => {
  await expect(loadProblemDirectory("/nowhere/vectoradd")).rejects.toThrow(
    'problem directory "/nowhere/vectoradd" not found',
  );
});

const LEGACY = (source: string) => `
description: d
files: [{ name: submission.py, source: "@SUBMISSION@" }, { name: eval.py, source: "${source}" }]
config: { main: eval.py }
tests: [{ n: 1 }]
benchmarks: [{ n: 1 }]
gpus: [cpu]
`;

test("a harness may be next to the problem or in another set, and nowhere else", async () => {
  const problem = join(parent, "problems", "set", "legacy");
  await mkdir(problem, { recursive: true });
  const load = async (source: string) => {
    await writeFile(join(problem, "task.yml"), LEGACY(source));
    return (await loadProblemDirectory(problem)).files["eval.py"];
  };
  await writeFile(join(parent, "problems", "set", "eval.py"), "# of the set");
  await mkdir(join(parent, "problems", "other"));
  await writeFile(join(parent, "problems", "other", "eval.py"), "# of another set");
  await writeFile(join(parent, "outside.py"), "# outside");
  await symlink(join(parent, "outside.py"), join(problem, "link.py"));
  expect(await load("../eval.py")).toBe("# of the set");
  expect(await load("../../other/eval.py")).toBe("# of another set");
  for (const outside of ["../../../outside.py", "link.py", join(parent, "outside.py"), "..", "gone.py"]) {
    await expect(load(outside)).rejects.toThrow("does not exist below the root of the problems");
  }
});

const COMPETITION = `
name: Spring
problems:
  - { directory: set/vectoradd_py, name: vectoradd-v2, deadline: "2100-09-02", gpus: [MI300] }
`;
const NO_TARGET = "{ description: d, tests: [{ n: 1 }], benchmarks: [{ n: 1 }] }";

async function existingProblem(competition: string): Promise<string> {
  const path = join(parent, "problems", "set", "vectoradd_py");
  await mkdir(path, { recursive: true });
  await writeFile(join(path, "task.yml"), NO_TARGET);
  await writeFile(join(path, "reference.py"), "# the reference");
  await writeFile(join(parent, "problems", "spring.yaml"), competition);
  return path;
}

test("a competition file above a directory states its name and targets", async () => {
  const { spec, files } = await loadProblemDirectory(await existingProblem(COMPETITION));
  expect(spec).toMatchObject({ name: "vectoradd-v2", targets: { MI300: {} } });
  expect(files["task.yml"]).toContain("MI300");
});

test("a requested target is that of a problem for which no file names one", async () => {
  const path = await existingProblem("services: { web: { image: vectoradd_py } }");
  await expect(loadProblemDirectory(path)).rejects.toThrow(/gpus: \[H100\] in task\.yml.*competition file.*--target/);
  expect((await loadProblemDirectory(path, { target: "L4" })).spec.targets).toEqual({ L4: {} });
  expect((await loadProblemDirectory(directory, { target: "L4" })).spec.targets).toEqual({ cpu: {} });
});

test("the error of a problem without targets includes that of the competition file that mentions it", async () => {
  const path = await existingProblem(COMPETITION.replace("2100-09-02", "soon"));
  await expect(loadProblemDirectory(path)).rejects.toThrow(
    /--target.*; spring\.yaml: .*deadline: "soon" is not a valid date/,
  );
});
