/** File names of submissions: which are accepted, and how they are written to disk. */
import { KernelBotError, quote } from "../errors.ts";

const MAX_CHARACTERS = 200;

/**
 * Returns why a string is not a valid file name, or null if it is valid. The name is shown in terminals and pages as
 * it is.
 */
export function fileNameFault(name: string): string | null {
  if (/[/\\]/.test(name) || name === "." || name === "..") return "must not contain a path";
  // Control and format characters, line separators and lone surrogates could disguise the name.
  if (/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(name)) return "must not contain control characters";
  if (name.length > MAX_CHARACTERS) return `is longer than ${MAX_CHARACTERS} characters`;
  return name.trim() === "" ? "is blank" : null;
}

/** @throws KernelBotError `unprocessable` that quotes the name. */
export function checkFileName(name: string): void {
  const fault = fileNameFault(name);
  if (fault !== null) throw new KernelBotError("unprocessable", `the file name ${quote(name)} ${fault}`);
}

/** Names that Windows reserves for devices, with any extension. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]) *(?:\.|$)/i;

/** Maximum size of a file name in UTF-8 on Linux. */
const MAX_BYTES = 255;

/**
 * Returns a name of unknown origin as a file name that every operating system accepts, without a path. A name that is
 * too long is cut before its extension.
 *
 * @example
 * portableFileName("aux.py"); // "_aux.py"
 * portableFileName("../a:b.py"); // ".._a_b.py"
 */
export function portableFileName(name: string): string {
  const plain = name.replace(/[<>:"/\\|?*\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, "_").replace(/[. ]+$/, "_");
  return cut(DEVICE.test(plain) || plain === "" ? `_${plain}` : plain);
}

function cut(name: string): string {
  const extension = /\.\w{1,20}$/.exec(name)?.[0] ?? "";
  const stem = Array.from(name.slice(0, name.length - extension.length)).slice(0, MAX_BYTES);
  const sizeOf = (text: string): number => new TextEncoder().encode(text).length;
  while (sizeOf(stem.join("") + extension) > MAX_BYTES) stem.pop();
  return stem.join("") + extension;
}
