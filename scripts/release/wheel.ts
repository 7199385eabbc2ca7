/**
 * Writes the Python wheel of the runner, for machines that have PyTorch and no Node.js: it contains the single
 * executable, and starts it with the interpreter that it was installed into. Format:
 * https://packaging.python.org/en/latest/specifications/binary-distribution-format/
 */
import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { zipSync, type Zippable, type ZipAttributes } from "fflate";
import { ROOT } from "./bundle.ts";
import type { Platform } from "./executable.ts";
import { readManifest } from "./package-folder.ts";

/** Platforms of wheels, in Python's names. The executables need the glibc of Node.js: 2.28. */
const TAGS: Partial<Record<Platform, string>> = {
  "linux-x64": "manylinux_2_28_x86_64",
  "linux-arm64": "manylinux_2_28_aarch64",
};

/** Time of all files: the first that the zip format can express, in local time, as it stores it. */
const MTIME = new Date(1980, 0, 1);

/** Writes `kernelbot_runner-VERSION-py3-none-TAG.whl` into a folder; nothing for systems that cannot judge. */
export async function writeWheel(executable: string, platform: Platform, outdir: string): Promise<void> {
  const tag = TAGS[platform];
  if (tag === undefined) return;
  const { version: npmVersion, description, license } = await readManifest(join(ROOT, "packages/runner"));
  // Python writes 0.2.0-beta.1 as 0.2.0b1.
  const version = npmVersion.replace(/-(a|b|rc)[a-z]*\.(\d+)$/, "$1$2");
  const info = `kernelbot_runner-${version}.dist-info`;
  const files: Record<string, Buffer> = {
    "kernelbot_runner/__init__.py": Buffer.from(""),
    "kernelbot_runner/__main__.py": await readFile(join(import.meta.dirname, "wheel-main.py")),
    "kernelbot_runner/bin/kernelbot-runner": await readFile(executable),
    [`${info}/LICENSE`]: await readFile(join(ROOT, "LICENSE")),
    // PyTorch and NumPy are not among the requirements: which build is the right one depends on the accelerator.
    [`${info}/METADATA`]: Buffer.from(
      [
        "Metadata-Version: 2.1",
        "Name: kernelbot-runner",
        `Version: ${version}`,
        `Summary: ${description}`,
        `License: ${license}`,
        "License-File: LICENSE",
        "Requires-Python: >=3.10",
        "",
      ].join("\n"),
    ),
    [`${info}/WHEEL`]: Buffer.from(
      `Wheel-Version: 1.0\nGenerator: kernelbot\nRoot-Is-Purelib: false\nTag: py3-none-${tag}\n`,
    ),
    [`${info}/entry_points.txt`]: Buffer.from("[console_scripts]\nkernelbot-runner = kernelbot_runner.__main__:main\n"),
  };
  const record = Object.entries(files).map(([path, bytes]) => {
    return `${path},sha256=${createHash("sha256").update(bytes).digest("base64url")},${bytes.length}\n`;
  });
  files[`${info}/RECORD`] = Buffer.from(`${record.join("")}${info}/RECORD,,\n`);
  const zip: Zippable = {};
  for (const [path, bytes] of Object.entries(files)) zip[path] = [bytes, attributes(path.includes("/bin/"))];
  await writeFile(join(outdir, `kernelbot_runner-${version}-py3-none-${tag}.whl`), zipSync(zip));
}

/** A regular file of Unix, as pip needs it to keep the permission to execute. */
function attributes(isExecutable: boolean): ZipAttributes {
  return { mtime: MTIME, os: 3, attrs: (isExecutable ? 0o100755 : 0o100644) * 0x10000 };
}
