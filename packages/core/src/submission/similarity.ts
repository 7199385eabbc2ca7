/**
 * Computes the similarity of two sources, independent of identifiers, comments and layout.
 *
 *     similarity(tokensOf("x = y + 1", "py"), tokensOf("a = b+1  # mine", "py"))   // 1
 *
 * Source: S. Schleimer, D. S. Wilkerson, A. Aiken, Winnowing: Local Algorithms for Document Fingerprinting, SIGMOD 2003.
 */
import type { Language } from "../vocabulary/language.ts";

/**
 * Tokens per gram: shared sequences of fewer tokens are likely to be coincidental. The noise threshold of the paper.
 */
const GRAM = 12;
/**
 * Grams per window, of which one is kept: any shared sequence of GRAM + WINDOW - 1 tokens has a fingerprint in common.
 */
const WINDOW = 32;
/** Maximum number of fingerprints kept of a source: the smallest values, which are the same in every copy. */
export const MAX_FINGERPRINTS = 4096;

const KEYWORDS = new Set(
  (
    "False None True and as assert async await break class continue def del elif else except finally for from global if " +
    "import in is lambda nonlocal not or pass raise return try while with yield " +
    "auto bool case char const constexpr default do double enum extern float goto inline int long namespace new nullptr " +
    "operator private public short signed sizeof static struct switch template this throw typedef typename union unsigned " +
    "using virtual void volatile"
  ).split(" "),
);

// An unclosed string ends at its line or at the end of the source, so that it is scanned once instead of once per
// quote.
const STRING_PREFIX = "(?:[rRbBuUfF]{1,2}|u8|[LuU])?";
const STRING = `${STRING_PREFIX}(?:"""[^]*?(?:"""|$)|'''[^]*?(?:'''|$)|"(?:[^"\\\\\\n]|\\\\[^])*"?|'(?:[^'\\\\\\n]|\\\\[^])*'?)`;
const REST = String.raw`(?<number>\.?\d(?:[eEpP][+-]|[\w.])*)|(?<attribute>\.\s*[\p{L}_][\p{L}\p{N}_]*)|(?<name>[\p{L}_][\p{L}\p{N}_]*)|(?<sign>\S)`;
const PATTERNS = {
  py: new RegExp(String.raw`(?<comment>#[^\n]*)|(?<string>${STRING})|${REST}`, "gu"),
  c: new RegExp(String.raw`(?<comment>//[^\n]*|/\*[^]*?(?:\*/|$))|(?<string>${STRING})|${REST}`, "gu"),
};

/**
 * Returns the normalised tokens of a source. Identifiers chosen by the author are replaced by one token, and so are
 * numbers and strings; keywords, signs and attribute names are kept. A multi-line Python string is tokenised as C++,
 * because kernels are often embedded in such strings.
 */
export function tokensOf(source: string, language: Language): string[] {
  return tokensBy(source, language === "py" ? PATTERNS.py : PATTERNS.c);
}

/** Appends to `tokens`: a source may have a million, more than a call takes arguments. */
function tokensBy(source: string, pattern: RegExp, tokens: string[] = []): string[] {
  for (const { groups } of source.matchAll(pattern)) {
    const { string, number, attribute, name, sign } = groups ?? {};
    if (string !== undefined) {
      if (pattern === PATTERNS.py && string.includes("\n")) tokensBy(embedded(string), PATTERNS.c, tokens);
      else tokens.push("text");
    } else if (number !== undefined) tokens.push("0");
    else if (attribute !== undefined) tokens.push(attribute.replace(/\s+/g, ""));
    else if (name !== undefined) tokens.push(KEYWORDS.has(name) ? name : "x");
    else if (sign !== undefined) tokens.push(sign);
  }
  return tokens;
}

/** Returns the content of a string, without its prefix and quotes. */
function embedded(string: string): string {
  return string.replace(/^\w*["']{1,3}|["']{1,3}$/g, "");
}

/**
 * Returns the hashes of all grams in order, as signed 32-bit integers; for a source shorter than a gram, the hash of
 * the whole.
 */
export function gramsOf(tokens: readonly string[]): number[] {
  if (tokens.length === 0) return [];
  const hashes = tokens.map(hashOf);
  const size = Math.min(GRAM, hashes.length);
  return Array.from({ length: hashes.length - size + 1 }, (_, start) => {
    let hash = 0;
    for (let at = start; at < start + size; at += 1) hash = mixed(Math.imul(hash, 31) + (hashes[at] ?? 0));
    return hash;
  });
}

/**
 * Returns the winnowed fingerprints: the minimum hash of each window of grams, the last one of equal hashes. Sorted,
 * without duplicates.
 */
export function fingerprintsOf(tokens: readonly string[]): number[] {
  const grams = gramsOf(tokens);
  const fingerprints = new Set<number>();
  let least = -1;
  for (let end = 0; end < grams.length; end += 1) {
    const start = end - WINDOW + 1;
    if (least < Math.max(0, start)) {
      least = Math.max(0, start);
      for (let at = least + 1; at <= end; at += 1) if (value(grams, at) <= value(grams, least)) least = at;
    } else if (value(grams, end) <= value(grams, least)) least = end;
    if (start >= 0 || end === grams.length - 1) fingerprints.add(value(grams, least));
  }
  return [...fingerprints].toSorted((a, b) => a - b).slice(0, MAX_FINGERPRINTS);
}

/** Returns the Jaccard similarity of the grams of two token sequences, from 0 to 1. */
export function similarity(a: readonly string[], b: readonly string[]): number {
  const [one, other] = [new Set(gramsOf(a)), new Set(gramsOf(b))];
  const shared = [...one].filter((gram) => other.has(gram)).length;
  const all = one.size + other.size - shared;
  return all === 0 ? 0 : shared / all;
}

function value(grams: readonly number[], at: number): number {
  return grams[at] ?? 0;
}

/** FNV-1a. */
function hashOf(token: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < token.length; at += 1) hash = Math.imul(hash ^ token.charCodeAt(at), 0x01000193);
  return hash | 0;
}

/** Finalizer of MurmurHash3, so that the minimum does not favour particular tokens. */
function mixed(hash: number): number {
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) | 0;
}
