/**
 * Writes the Python wheel of the runner, for machines that have PyTorch and no Node.js: it contains the single
 * executable, and starts it with the interpreter that it was installed into. Format:
 * https://packaging.python.org/en/latest/specifications/binary-distribution-format/
 */
import { createHash } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { Zip, ZipDeflate, type ZipAttributes, type ZipInputFile } from "fflate";
import { GZIP_FRAME, PARTS, type WheelParts } from "../../packages/server/src/downloads/wheel.ts";
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

const EXECUTABLE = "kernelbot_runner/bin/kernelbot-runner";

/**
 * Writes `kernelbot_runner-VERSION-py3-none-TAG.whl` into a folder; nothing for systems that cannot judge.
 * @param executable Path of the executable, compressed by gzip.
 */
export async function writeWheel(executable: string, platform: Platform, outdir: string): Promise<void> {
  const tag = TAGS[platform];
  if (tag === undefined) return;
  const { version: npmVersion, description, license } = await readManifest(join(ROOT, "packages/runner"));
  // Python writes 0.2.0-beta.1 as 0.2.0b1.
  const version = npmVersion.replace(/-(a|b|rc)[a-z]*\.(\d+)$/, "$1$2");
  const info = `kernelbot_runner-${version}.dist-info`;
  const gzip = await readFile(executable);
  const files: Record<string, Buffer<ArrayBuffer>> = {
    [EXECUTABLE]: gunzipSync(gzip),
    "kernelbot_runner/__init__.py": Buffer.from(""),
    "kernelbot_runner/__main__.py": await readFile(join(import.meta.dirname, "wheel-main.py")),
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
  const name = `kernelbot_runner-${version}-py3-none-${tag}.whl`;
  await writeFile(join(outdir, name), zipped(files, gzip));
}

/** Returns a ZIP file in which the entry of the executable has the bytes of the gzip file. */
function zipped(files: Readonly<Record<string, Buffer<ArrayBuffer>>>, gzip: Buffer<ArrayBuffer>): Buffer {
  const chunks: Uint8Array[] = [];
  const zip = new Zip((error, chunk) => {
    if (error !== null) throw error;
    chunks.push(chunk);
  });
  for (const [filename, bytes] of Object.entries(files)) {
    if (filename === EXECUTABLE) {
      const [crc, size] = [gzip.readUInt32LE(gzip.length - 8), gzip.readUInt32LE(gzip.length - 4)];
      const entry: ZipInputFile = { filename, crc, size, compression: 8, ...attributes(true) };
      zip.add(entry);
      entry.ondata?.(null, compressedData(gzip), true);
    } else {
      const entry = Object.assign(new ZipDeflate(filename), attributes(false));
      zip.add(entry);
      entry.push(bytes, true);
    }
  }
  zip.end();
  return Buffer.concat(chunks);
}

/** A regular file of Unix, as pip needs it to keep the permission to execute. */
function attributes(isExecutable: boolean): ZipAttributes {
  return { mtime: MTIME, os: 3, attrs: (isExecutable ? 0o100755 : 0o100644) * 0x10000 };
}

/** Returns the compressed data of a gzip file. */
function compressedData(gzip: Buffer<ArrayBuffer>): Buffer<ArrayBuffer> {
  return gzip.subarray(GZIP_FRAME.header, gzip.length - GZIP_FRAME.trailer);
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
