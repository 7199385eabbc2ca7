/** Synthetic kernels: shaped like real ones, with unique names and numbers. */

const CALLS = ["load", "store", "dot", "exp2", "max", "where", "sum", "fma", "rsqrt", "arange", "zeros", "maximum"];
const PARTS = [
  "tile",
  "acc",
  "lane",
  "warp",
  "row",
  "col",
  "mask",
  "stage",
  "offset",
  "scale",
  "block",
  "frag",
  "bias",
];

/** Returns a fast, reproducible random number generator (xorshift). */
function randomBelow(seed: number): (limit: number) => number {
  let state = Math.imul(seed + 1, 0x9e3779b1) | 1;
  return (limit) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % limit;
  };
}

/** Returns a source of about `bytes` bytes, reproducible by seed. */
export function kernelText(seed: number, bytes: number): string {
  const below = randomBelow(seed);
  const pick = (from: readonly string[]): string => from[below(from.length)] as string;
  const names = Array.from({ length: 24 }, () => `${pick(PARTS)}_${below(1 << 24).toString(36)}`);
  const number = (): string => (below(3) === 0 ? `${below(1 << 16) / 256}` : String(below(1 << 20)));
  let text = `# ${below(1 << 30).toString(36)} ${seed}\nimport torch\nimport triton\nimport triton.language as tl\n\n`;
  while (text.length < bytes) {
    text += `\n@triton.jit\ndef ${pick(names)}_${below(1 << 30).toString(36)}(`;
    text += `${pick(names)}_ptr, ${pick(names)}_ptr, n, BLOCK: tl.constexpr = ${16 << below(6)}):\n`;
    for (let line = 4 + below(24); line > 0; line--) {
      const [to, a, b] = [pick(names), pick(names), pick(names)];
      const comment = below(4) === 0 ? `  # ${pick(PARTS)} ${below(1 << 24).toString(36)} of ${pick(PARTS)}` : "";
      text += `    ${to} = tl.${pick(CALLS)}(${a} * ${number()} + ${b}[${number()}], ${pick(names)}, other=${number()})${comment}\n`;
    }
  }
  return text;
}
