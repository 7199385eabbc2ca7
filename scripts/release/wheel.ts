/**
 * Writes the Python wheel of the runner, for machines that have PyTorch and no Node.js: it contains the single
 * executable, and starts it with the interpreter that it was installed into.
 */
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { PARTS, type WheelParts } from "../../packages/server/src/downloads/wheel.ts";
import { ROOT } from "./bundle.ts";
import type { Platform } from "./executable.ts";
import { readManifest } from "./package-folder.ts";
import { compressedData, pythonVersion, writeWheelFile, type Wheel } from "./wheel-file.ts";

/** Platforms of wheels, in Python's names. The executables need the glibc of Node.js: 2.28. */
const TAGS: Partial<Record<Platform, string>> = {
  "linux-x64": "manylinux_2_28_x86_64",
  "linux-arm64": "manylinux_2_28_aarch64",
};

const EXECUTABLE = "kernelbot_runner/bin/kernelbot-runner";

/**
 * Writes `kernelbot_runner-VERSION-py3-none-TAG.whl` into a folder; nothing for systems that cannot judge.
 * @param executable Path of the executable, compressed by gzip.
 */
export async function writeWheel(executable: string, platform: Platform, outdir: string): Promise<void> {
  const tag = TAGS[platform];
  if (tag === undefined) return;
  const { version, description, license } = await readManifest(join(ROOT, "packages/runner"));
  const gzip = await readFile(executable);
  const wheel: Wheel = {
    name: "kernelbot_runner",
    version: pythonVersion(version),
    tag: `py3-none-${tag}`,
    isPure: false,
    // PyTorch and NumPy are not among the requirements: which build is the right one depends on the accelerator.
    metadata: [`Summary: ${description}`, `License: ${license}`, "Requires-Python: >=3.10"],
    entryPoints: "[console_scripts]\nkernelbot-runner = kernelbot_runner.__main__:main\n",
    files: {
      [EXECUTABLE]: gunzipSync(gzip),
      "kernelbot_runner/__init__.py": Buffer.from(""),
      "kernelbot_runner/__main__.py": await readFile(join(import.meta.dirname, "wheel-main.py")),
    },
  };
  await writeWheelFile(wheel, outdir, { [EXECUTABLE]: gzip });
}

/** Writes the parts of each wheel in a folder of downloads, for a server that offers the executables too. */
export async function writeWheelParts(downloads: string, outdir: string): Promise<void> {
  const names = await readdir(downloads);
  for (const [platform, tag] of Object.entries(TAGS)) {
    const executable = `kernelbot-${platform}.gz`;
    const name = names.find((each) => each.endsWith(`-${tag}.whl`));
    if (name === undefined) continue;
    const wheel = await readFile(join(downloads, name));
    const data = compressedData(await readFile(join(downloads, executable)));
    const start = wheel.indexOf(data);
    if (start === -1) throw new Error(`${name} does not contain ${executable}: both have to be of one build`);
    const [head, tail] = [wheel.subarray(0, start), wheel.subarray(start + data.length)];
    const parts: WheelParts = { executable, head: head.toString("base64"), tail: tail.toString("base64") };
    await writeFile(join(outdir, `${name}${PARTS}`), JSON.stringify(parts));
  }
}
