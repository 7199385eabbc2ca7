/**
 * Writes wheels of Python, two builds of which have the same bytes. Format:
 * https://packaging.python.org/en/latest/specifications/binary-distribution-format/
 */
import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Zip, ZipDeflate, type ZipAttributes, type ZipInputFile } from "fflate";
import { GZIP_FRAME } from "../../packages/server/src/downloads/wheel.ts";
import { ROOT } from "./bundle.ts";

type Files = Record<string, Buffer<ArrayBuffer>>;

export interface Wheel {
  /** Name of the distribution as files have it, such as `kernelbot_runner`. */
  name: string;
  version: string;
  /** Tag of the interpreters and platforms, such as `py3-none-any`. */
  tag: string;
  isPure: boolean;
  /** Further lines of METADATA. */
  metadata: readonly string[];
  entryPoints?: string;
  /** Files to install, by path. */
  files: Readonly<Files>;
}

/** Time of all files: the first that the zip format can express, in local time, as it stores it. */
const MTIME = new Date(1980, 0, 1);

/** Returns a version as Python writes it: 0.2.0b1 for 0.2.0-beta.1. */
export function pythonVersion(version: string): string {
  return version.replace(/-(a|b|rc)[a-z]*\.(\d+)$/, "$1$2");
}

/**
 * Writes `NAME-VERSION-TAG.whl` into a folder. Returns its name.
 * @param compressed Gzip files whose compressed data the wheel contains, by the path of their content. They are executable.
 */
export async function writeWheelFile(wheel: Wheel, outdir: string, compressed: Readonly<Files> = {}): Promise<string> {
  const { name, version, tag, isPure, metadata, entryPoints } = wheel;
  const info = `${name}-${version}.dist-info`;
  const about = ["Metadata-Version: 2.1", `Name: ${name.replaceAll("_", "-")}`, `Version: ${version}`, ...metadata];
  const files: Files = {
    ...wheel.files,
    [`${info}/LICENSE`]: await readFile(join(ROOT, "LICENSE")),
    [`${info}/METADATA`]: Buffer.from(`${[...about, "License-File: LICENSE"].join("\n")}\n`),
    [`${info}/WHEEL`]: Buffer.from(
      `Wheel-Version: 1.0\nGenerator: kernelbot\nRoot-Is-Purelib: ${isPure}\nTag: ${tag}\n`,
    ),
    ...(entryPoints !== undefined && { [`${info}/entry_points.txt`]: Buffer.from(entryPoints) }),
  };
  const record = Object.entries(files).map(([path, bytes]) => {
    return `${path},sha256=${createHash("sha256").update(bytes).digest("base64url")},${bytes.length}\n`;
  });
  files[`${info}/RECORD`] = Buffer.from(`${record.join("")}${info}/RECORD,,\n`);
  const file = `${name}-${version}-${tag}.whl`;
  await writeFile(join(outdir, file), zipped(files, compressed));
  return file;
}

/** Returns a ZIP file in which some entries have the compressed data of gzip files. */
function zipped(files: Readonly<Files>, compressed: Readonly<Files>): Buffer {
  const chunks: Uint8Array[] = [];
  const zip = new Zip((error, chunk) => {
    if (error !== null) throw error;
    chunks.push(chunk);
  });
  for (const [filename, bytes] of Object.entries(files)) {
    const gzip = compressed[filename];
    if (gzip !== undefined) {
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
export function compressedData(gzip: Buffer<ArrayBuffer>): Buffer<ArrayBuffer> {
  return gzip.subarray(GZIP_FRAME.header, gzip.length - GZIP_FRAME.trailer);
}
