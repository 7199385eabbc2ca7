/**
 * The starters in CUDA of every problem, compiled for the architecture of each of its targets. One takes minutes, so only
 * `npm run test:nightly` compiles them.
 */
import { execFile, spawnSync } from "node:child_process";
import { delimiter, join } from "node:path";
import { findPython, loadProblemDirectory, problemDirectories } from "@kernelbot/tester";
import { isNightly } from "@kernelbot/testing/sample.ts";
import { expect, test } from "vitest";

const COMPILE = join(import.meta.dirname, "../tester/tests/compile_inline.py");
const ENVIRONMENT = { ...process.env, PATH: [process.env.PATH, "/usr/local/cuda/bin"].join(delimiter) };
/** Architecture of each target with a device of NVIDIA, as nvcc names it. */
const ARCHITECTURES: Record<string, string> = { T4: "75", A100: "80", L4: "89", H100: "90", B200: "100" };

const nvcc = spawnSync("nvcc", ["--list-gpu-code"], { env: ENVIRONMENT, encoding: "utf8" });
/** Architectures that this machine's nvcc knows; empty without nvcc. */
const known = nvcc.status === 0 ? nvcc.stdout.split(/\s+/) : [];

const directories = await problemDirectories(import.meta.dirname);
const starters = (await Promise.all(directories.map((directory) => loadProblemDirectory(directory)))).flatMap(
  ({ spec }, at) => {
    const source = spec.templates["CUDA"];
    const targets = Object.keys(spec.targets).map((target) => ARCHITECTURES[target.replace(/x\d+$/, "")]);
    const architectures = targets.filter((each) => each !== undefined && known.includes(`sm_${each}`));
    return source === undefined ? [] : [{ name: spec.name, folder: directories[at], source, architectures }];
  },
);

test.skipIf(known.length === 0 || !isNightly()).for(starters)(
  "the starter of $name in CUDA compiles for each target (needs nvcc; nightly)",
  async ({ folder, source, architectures }) => {
    expect(architectures).not.toEqual([]);
    const { path } = await findPython();
    const { promise, resolve } = Promise.withResolvers<string>();
    const compiler = execFile(path, ["-B", COMPILE], { env: ENVIRONMENT }, (error, stdout, stderr) =>
      resolve(error === null ? stdout : stderr),
    );
    compiler.stdin?.end(JSON.stringify({ folder, source, architectures }));
    expect(await promise).toBe("");
  },
);
