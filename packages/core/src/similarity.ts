/**
 * How alike two sources are, whatever their names, comments and layout.
 *
 *     similarity(tokensOf("x = y + 1", "py"), tokensOf("a = b+1  # mine", "py"))   // 1
 *
 * Source: S. Schleimer, D. S. Wilkerson, A. Aiken, Winnowing: Local Algorithms for Document Fingerprinting, SIGMOD 2003.
 */
import type { Language } from "./language.ts";

/** Tokens in a gram: what two sources share by chance in fewer tokens says nothing. The paper's noise threshold. */
const GRAM = 12;
/** Grams in a window, of which one is kept: every shared stretch of GRAM + WINDOW - 1 tokens leaves a fingerprint in common. */
const WINDOW = 32;
/** Fingerprints that are kept of one source: those with the smallest values, which are the same in every copy. */
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

// What is never closed ends with its line or with the source: it is looked through once, not from each of its quotes.
const STRING_PREFIX = "(?:[rRbBuUfF]{1,2}|u8|[LuU])?";
const STRING = `${STRING_PREFIX}(?:"""[^]*?(?:"""|$)|'''[^]*?(?:'''|$)|"(?:[^"\\\\\\n]|\\\\[^])*"?|'(?:[^'\\\\\\n]|\\\\[^])*'?)`;
const REST = String.raw`(?<number>\.?\d(?:[eEpP][+-]|[\w.])*)|(?<attribute>\.\s*[\p{L}_][\p{L}\p{N}_]*)|(?<name>[\p{L}_][\p{L}\p{N}_]*)|(?<sign>\S)`;
const PATTERNS = {
  py: new RegExp(String.raw`(?<comment>#[^\n]*)|(?<string>${STRING})|${REST}`, "gu"),
  c: new RegExp(String.raw`(?<comment>//[^\n]*|/\*[^]*?(?:\*/|$))|(?<string>${STRING})|${REST}`, "gu"),
};

/**
 * The tokens of a source: names that their author chose are all the same, and so are numbers and strings; keywords, signs and
 * what is called of libraries stay. A string of several lines is read as C++, since kernels are written into such.
 */
export function tokensOf(source: string, language: Language): string[] {
  return tokensBy(source, language === "py" ? PATTERNS.py : PATTERNS.c);
}

function tokensBy(source: string, pattern: RegExp): string[] {
  const tokens: string[] = [];
  for (const { groups } of source.matchAll(pattern)) {
    const { string, number, attribute, name, sign } = groups ?? {};
    if (string !== undefined) {
      if (pattern === PATTERNS.py && string.includes("\n")) tokens.push(...embedded(string));
      else tokens.push("text");
    } else if (number !== undefined) tokens.push("0");
    else if (attribute !== undefined) tokens.push(attribute.replace(/\s+/g, ""));
    else if (name !== undefined) tokens.push(KEYWORDS.has(name) ? name : "x");
    else if (sign !== undefined) tokens.push(sign);
  }
  return tokens;
}

function embedded(string: string): string[] {
  return tokensBy(string.replace(/^\w*["']{1,3}|["']{1,3}$/g, ""), PATTERNS.c);
}

/** The hashes of all grams in order; of a source that is shorter than one, the hash of the whole. 32 bits, signed. */
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

/** Winnowing: the smallest hash of each window of grams, of equal ones the last. Each value once, in ascending order. */
export function fingerprintsOf(tokens: readonly string[]): number[] {
  const grams = gramsOf(tokens);
  const kept = new Set<number>();
  let least = -1;
  for (let end = 0; end < grams.length; end += 1) {
    const start = end - WINDOW + 1;
    if (least < Math.max(0, start)) {
      least = Math.max(0, start);
      for (let at = least + 1; at <= end; at += 1) if (value(grams, at) <= value(grams, least)) least = at;
    } else if (value(grams, end) <= value(grams, least)) least = end;
    if (start >= 0 || end === grams.length - 1) kept.add(value(grams, least));
  }
  return [...kept].toSorted((a, b) => a - b).slice(0, MAX_FINGERPRINTS);
}

/** The share of their grams that two sources have in common, of all that either has (Jaccard): 1 where they are alike. */
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

/** The finalizer of MurmurHash3, so that the smallest hashes are not those of particular tokens. */
function mixed(hash: number): number {
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) | 0;
}
