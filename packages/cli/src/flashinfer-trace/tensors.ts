/** Reads tensors of the safetensors files of a data set. */
import { closeSync, fstatSync, openSync, readSync, realpathSync } from "node:fs";
import { createHash } from "node:crypto";
import { resolve, sep } from "node:path";
import { headerLength, LENGTH_BYTES, MAX_STORED_TENSOR_BYTES, parseTensorHeader } from "@kernelbot/core";
import type { StoredTensor, TensorContent, TensorReader } from "@kernelbot/core";

interface TensorFile {
  path: string;
  tensors: Map<string, StoredTensor>;
}

/** Returns a reader of the tensors below a folder. Files outside of it are refused. */
export function openTensors(folder: string): TensorReader {
  const root = realpathSync(folder);
  const files = new Map<string, TensorFile | { fault: string }>();
  return (path, key) => {
    let file = files.get(path);
    if (file === undefined) {
      file = openFile(root, path);
      files.set(path, file);
    }
    if ("fault" in file) return file;
    const stored = file.tensors.get(key);
    if (stored === undefined) return { fault: `${JSON.stringify(path)} has no tensor ${JSON.stringify(key)}` };
    return contentOf(file.path, stored);
  };
}

function openFile(root: string, name: string): TensorFile | { fault: string } {
  const quoted = JSON.stringify(name);
  let path: string;
  try {
    path = realpathSync(resolve(root, name));
  } catch {
    return { fault: `${quoted} does not exist; paths are relative to the root of the data set` };
  }
  if (!path.startsWith(root + sep)) return { fault: `${quoted} is outside of the data set` };
  try {
    return withFile(path, (file, size) => {
      const headerBytes = headerLength(readAt(file, 0, Math.min(LENGTH_BYTES, size)), size);
      const header = readAt(file, LENGTH_BYTES, headerBytes).toString("utf8");
      return { path, tensors: parseTensorHeader(header, headerBytes, size) };
    });
  } catch (error) {
    return { fault: `${quoted} ${(error as Error).message}` };
  }
}

function contentOf(path: string, stored: StoredTensor): TensorContent {
  const bytes = stored.end - stored.begin;
  if (bytes > MAX_STORED_TENSOR_BYTES) return { stored, sha256: "", base64: null };
  const content = withFile(path, (file) => readAt(file, stored.begin, bytes));
  return {
    stored,
    sha256: createHash("sha256").update(content).digest("hex"),
    base64: `${content.toString("base64")}\n`,
  };
}

function withFile<T>(path: string, work: (file: number, sizeBytes: number) => T): T {
  const file = openSync(path, "r");
  try {
    return work(file, fstatSync(file).size);
  } finally {
    closeSync(file);
  }
}

function readAt(file: number, position: number, bytes: number): Buffer {
  const buffer = Buffer.alloc(bytes);
  const count = readSync(file, buffer, 0, bytes, position);
  return buffer.subarray(0, count);
}
