/** Header of a safetensors file: which tensors it has, and where their bytes are. */
import { z } from "zod";
import type { TraceDtype } from "./definition.ts";

/** Maximum length of the header in bytes. */
export const MAX_HEADER_BYTES = 16_000_000;
/** Number of bytes before the header, which hold its length. */
export const LENGTH_BYTES = 8;

/** Names of dtypes in the header, with the dtypes of definitions that they hold. */
const DTYPES: Record<string, readonly TraceDtype[]> = {
  F64: ["float64"],
  F32: ["float32"],
  F16: ["float16"],
  BF16: ["bfloat16"],
  F8_E4M3: ["float8_e4m3fn"],
  F8_E5M2: ["float8_e5m2"],
  F4: ["float4_e2m1", "float4_e2m1fn_x2"],
  I64: ["int64"],
  I32: ["int32"],
  I16: ["int16"],
  I8: ["int8"],
  BOOL: ["bool"],
};

const Header = z.record(
  z.string(),
  z.object({
    dtype: z.string(),
    shape: z.array(z.int().nonnegative()),
    data_offsets: z.tuple([z.int().nonnegative(), z.int().nonnegative()]),
  }),
);

export interface StoredTensor {
  /** Dtypes that a definition may declare for it; empty if its dtype is not known. */
  dtypes: readonly TraceDtype[];
  /** Name of its dtype in the file. */
  storedDtype: string;
  shape: number[];
  /** First byte in the file, and the one after the last. */
  begin: number;
  end: number;
}

/** Tensor to write: its dtype as the header names it, its shape and its bytes. */
export interface TensorToStore {
  dtype: string;
  shape: readonly number[];
  bytes: Uint8Array;
}

/** Returns the name of a dtype in the header. */
export function storedDtype(dtype: TraceDtype): string {
  const [name = ""] = Object.entries(DTYPES).find(([, held]) => held.includes(dtype)) ?? [];
  return name;
}

/** Returns a safetensors file. Its header is padded, so that the tensors are aligned to 8 bytes. */
export function tensorFile(tensors: ReadonlyMap<string, TensorToStore>): Uint8Array {
  let end = 0;
  const entries = [...tensors].map(([key, { dtype, shape, bytes }]) => {
    const begin = end;
    end += bytes.length;
    return [key, { dtype, shape, data_offsets: [begin, end] }] as const;
  });
  const text = new TextEncoder().encode(JSON.stringify(Object.fromEntries(entries)));
  const headerBytes = Math.ceil(text.length / 8) * 8;
  const file = new Uint8Array(LENGTH_BYTES + headerBytes + end).fill(0x20, LENGTH_BYTES, LENGTH_BYTES + headerBytes);
  new DataView(file.buffer).setBigUint64(0, BigInt(headerBytes), true);
  file.set(text, LENGTH_BYTES);
  let place = LENGTH_BYTES + headerBytes;
  for (const { bytes } of tensors.values()) {
    file.set(bytes, place);
    place += bytes.length;
  }
  return file;
}

/**
 * Returns the length of the header in bytes.
 * @param start first 8 bytes of the file
 * @throws Error that says why the file is not a valid safetensors file
 */
export function headerLength(start: Uint8Array, fileBytes: number): number {
  if (new TextDecoder().decode(start).startsWith("version "))
    throw new Error("is a Git LFS pointer; fetch the file with git lfs pull");
  if (start.length < LENGTH_BYTES) throw new Error("is shorter than 8 bytes, so it is not a safetensors file");
  const length = Number(new DataView(start.buffer, start.byteOffset).getBigUint64(0, true));
  if (length > MAX_HEADER_BYTES) throw new Error(`declares a header of ${length} bytes; at most ${MAX_HEADER_BYTES}`);
  if (LENGTH_BYTES + length > fileBytes)
    throw new Error(`declares a header of ${length} bytes, which it does not have`);
  return length;
}

/**
 * Parses the header.
 * @throws Error if it is invalid, or if tensors are outside of the file or overlap
 */
export function parseTensorHeader(header: string, headerBytes: number, fileBytes: number): Map<string, StoredTensor> {
  const { __metadata__: _, ...entries } = JSON.parse(header) as Record<string, unknown>;
  const parsed = Header.safeParse(entries);
  if (!parsed.success) throw new Error(`has an invalid header: ${parsed.error.issues[0]?.path.join(".") ?? ""}`);
  const base = LENGTH_BYTES + headerBytes;
  const tensors = Object.entries(parsed.data).map(
    ([
      key,
      {
        dtype,
        shape,
        data_offsets: [begin, end],
      },
    ]) => {
      if (end < begin || base + end > fileBytes)
        throw new Error(`has the tensor ${JSON.stringify(key)} outside of the file`);
      const stored = { dtypes: DTYPES[dtype] ?? [], storedDtype: dtype, shape, begin: base + begin, end: base + end };
      return [key, stored] as const;
    },
  );
  const inOrder = tensors.map(([, tensor]) => tensor).toSorted((one, other) => one.begin - other.begin);
  for (const [index, { begin }] of inOrder.entries()) {
    if (begin < (inOrder[index - 1]?.end ?? 0)) throw new Error("has tensors that overlap");
  }
  return new Map(tensors);
}
