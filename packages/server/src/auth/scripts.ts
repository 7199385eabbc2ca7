/** Scripts in which a name may be written: one, or several that one language combines (UTS 39, highly restrictive). */

/** Scripts in everyday use, by UAX 31. */
const SCRIPTS = [
  ...[
    "Arabic",
    "Armenian",
    "Bengali",
    "Cyrillic",
    "Devanagari",
    "Ethiopic",
    "Georgian",
    "Greek",
    "Gujarati",
    "Gurmukhi",
  ],
  ...[
    "Hebrew",
    "Kannada",
    "Khmer",
    "Lao",
    "Malayalam",
    "Myanmar",
    "Oriya",
    "Sinhala",
    "Tamil",
    "Telugu",
    "Thaana",
    "Thai",
  ],
  "Tibetan",
];
const MIXTURES = [
  ["Latin", "Han", "Hiragana", "Katakana"],
  ["Latin", "Han", "Bopomofo"],
  ["Latin", "Han", "Hangul"],
];
const ALLOWED = [...SCRIPTS.map((script) => [script]), ...MIXTURES].map((scripts) => {
  const classes = [...scripts, "Common", "Inherited"].map((script) => `\\p{scx=${script}}`).join("");
  return new RegExp(`^[${classes}]*$`, "u");
});

export function isInOneScript(name: string): boolean {
  return ALLOWED.some((allowed) => allowed.test(name));
}
