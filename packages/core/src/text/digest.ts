/** SHA-256 and hexadecimal digits. */
import { z } from "zod";

/** 32 bytes in hexadecimal: a SHA-256 or a seed. */
export const Hex256 = z.string().regex(/^[0-9a-f]{64}$/, "use 64 hexadecimal digits in lower case");

/** Returns the SHA-256 of bytes, or of the UTF-8 encoding of a text, in hexadecimal. */
export async function sha256(data: string | Uint8Array<ArrayBuffer>): Promise<string> {
  const bytes = typeof data === "string" ? new TextEncoder().encode(data) : data;
  return toHex(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
}

export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Decodes hexadecimal digits to bytes. */
export function fromHex(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}
