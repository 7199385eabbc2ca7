/** Formulas from TeX to MathML, which browsers render without stylesheet, script or `style` attribute. */
import { renderToString } from "katex";
import { escaped } from "../html.ts";

/** Longer formulas, in characters, are shown as source: KaTeX's time for a hostile one grows with its length. */
const MAX_CHARACTERS = 2000;

/** Returns a formula as HTML; its TeX source if it is invalid or too long. */
export function formula(tex: string, { display }: { display: boolean }): string {
  const math = tex.length > MAX_CHARACTERS ? null : mathOf(tex.trim(), display);
  if (math === null) return texSource(tex);
  return display ? `<p class="formula" tabindex="0">${math}</p>` : math;
}

/** Returns the characters of a formula as plain text, for places without MathML; its TeX source if it is invalid. */
export function plainFormula(tex: string): string {
  const math = mathOf(tex, false);
  if (math === null) return tex;
  const signs = math.replace(/<annotation.*/s, "").replace(/<[^>]*>/g, "");
  return signs.replace(/&(lt|gt|amp|quot|#x27);/g, (entity) => ENTITIES[entity] ?? entity);
}

const ENTITIES: Record<string, string> = { "&lt;": "<", "&gt;": ">", "&amp;": "&", "&quot;": '"', "&#x27;": "'" };

/** Returns the TeX source of a formula as HTML. */
export function texSource(tex: string): string {
  return `<code class="tex">${escaped(tex.trim())}</code>`;
}

function mathOf(tex: string, display: boolean): string | null {
  try {
    const marked = renderToString(tex, {
      output: "mathml",
      displayMode: display,
      throwOnError: true,
      // No links, images, classes or styles.
      trust: false,
      strict: "ignore",
      maxExpand: 200,
      maxSize: 20,
    });
    return withLetters(marked.slice(marked.indexOf("<math"), marked.lastIndexOf("</math>") + "</math>".length));
  } catch {
    // The formula is invalid, or nests deeper than the stack allows.
    return null;
  }
}

/**
 * Replaces letters of other styles with their Unicode characters: of all values of `mathvariant`, browsers support only
 * `normal`.
 */
function withLetters(math: string): string {
  return math.replace(
    /<(m[ino]|mtext) mathvariant="([a-z-]+)">([^<]*)</g,
    (whole, element: string, variant: string, text: string) => {
      const kind = KINDS.get(variant);
      return kind === undefined ? whole : `<${element}>${text.replace(/[A-Za-z0-9]/g, (one) => letter(one, kind))}<`;
    },
  );
}

/**
 * Code points of the first capital, small letter and digit of a style, and the letters that Unicode encodes elsewhere.
 */
interface Kind {
  capital: number;
  small: number;
  digit?: number;
  elsewhere?: Record<string, string>;
}

const KINDS = new Map<string, Kind>([
  ["bold", { capital: 0x1d400, small: 0x1d41a, digit: 0x1d7ce }],
  ["bold-italic", { capital: 0x1d468, small: 0x1d482 }],
  [
    "double-struck",
    {
      ...{ capital: 0x1d538, small: 0x1d552, digit: 0x1d7d8 },
      elsewhere: { C: "ℂ", H: "ℍ", N: "ℕ", P: "ℙ", Q: "ℚ", R: "ℝ", Z: "ℤ" },
    },
  ],
  [
    "script",
    {
      ...{ capital: 0x1d49c, small: 0x1d4b6 },
      elsewhere: { B: "ℬ", E: "ℰ", F: "ℱ", H: "ℋ", I: "ℐ", L: "ℒ", M: "ℳ", R: "ℛ", e: "ℯ", g: "ℊ", o: "ℴ" },
    },
  ],
  ["fraktur", { ...{ capital: 0x1d504, small: 0x1d51e }, elsewhere: { C: "ℭ", H: "ℌ", I: "ℑ", R: "ℜ", Z: "ℨ" } }],
  ["sans-serif", { capital: 0x1d5a0, small: 0x1d5ba, digit: 0x1d7e2 }],
  ["monospace", { capital: 0x1d670, small: 0x1d68a, digit: 0x1d7f6 }],
]);

function letter(one: string, { capital, small, digit, elsewhere = {} }: Kind): string {
  const code = one.charCodeAt(0);
  if (elsewhere[one] !== undefined) return elsewhere[one];
  if (code >= 0x61) return String.fromCodePoint(small + code - 0x61);
  if (code >= 0x41) return String.fromCodePoint(capital + code - 0x41);
  return digit === undefined ? one : String.fromCodePoint(digit + code - 0x30);
}
