/**
 * Finds wording that readers stumble over, in code, tests and docs, and says what to write instead. Part of
 * `npm run check`.
 *
 *     node scripts/language.ts
 *
 * It finds patterns, not meaning: a sentence that passes may still be unclear.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..");

/** Wording, with what to write instead. Matched without regard to case. */
const WORDING: readonly [pattern: string, instead: string][] = [
  ["hand(s|ed|ing)? (it |them |one )?in\\b(?! hand)", "submit, submission"],
  ["(take|takes|took|taking|taken) part\\b", "join, enter, compete"],
  ["for good\\b", "permanently"],
  ["\\bany ?more\\b", "no longer, or name the limit"],
  ["as ever\\b", "name the thing"],
  ["(begins?|began|begun) anew", "start over, reset"],
  ["\\bmend(s|ed|ing)?\\b", "fix"],
  ["what (waits|is waiting)\\b", "the queue; queued runs"],
  ["\\b(who|whoever|the one who|one who) asks\\b", "the caller"],
  ["\\b(is|are|was|were|be|been) told\\b", "return, respond, report, log, or notify"],
  ["\\btells? (of|that|whether|what|who|why|how)\\b", "return, respond, report, log, or notify"],
  ["\\b(comes?|came) out (as|at|of the judge|wrong|right)\\b", "result, outcome"],
  ["\\b(its|their|whose) time is over\\b", "expired; revoked"],
  ["\\bhardware floor\\b|\\bof the floor\\b", "speed of light"],
  ["\\b(administrators?|moderators?|organisers?|owners?|authors?|members?) alone\\b", "only"],
  ["\\bbesides\\b", "also"],
  ["\\bbeside (it|its|the|them|a|an|this|that|those)\\b", "next to, in addition to"],
  ["\\bstands? in (?!for\\b)", "is in"],
  ["\\b(goes|went) on\\b(?! (the|a|an|and|at|for|its|to|top|with))", "continues, resumes"],
  ["\\bin the hope\\b", "in case, to"],
  ["\\bwhoever\\b|\\bwherever one\\b|\\bwhat(ever)? one\\b", "name the subject"],
  ["\\b(some|any|no|every)body\\b(?!')", "name the role: participants, the organiser, callers"],
  ["\\bknows no\\b|\\bknow no\\b", "does not support, does not have"],
  [
    "(?<!\\bthere )\\bis no (valid|longer valid|number|file|folder|problem|board|runner|submission|account|target|url|name)\\b",
    "is not a valid X, must be an X",
  ],
  ["\\b(he|she|him|his|hers|her)\\b", "they, their; or the role"],
  ["\\blest\\b|\\bthereof\\b|\\bwhence\\b|\\bthither\\b|\\bhence\\b", "a plain conjunction"],
  ["\\btold to\\b", "a command, a request"],
  ["\\bright answers?\\b", "correct result"],
  ["\\bhonest results?\\b", "correct result"],
  ["\\b\\d+ (elements )?in 100\\b", "a percentage"],
  ["\\beditions? of (a|the|its) board\\b", "revision"],
  ["\\bso long as it may\\b|\\bas long as it may\\b|\\bas it may\\b", "name the limit"],
];

/** Identifiers that say nothing about what they hold or do. */
const IDENTIFIERS: readonly [pattern: string, instead: string][] = [
  [
    "\\b(?:function|def|const) (given|told|taken|noted|asked|reached|shown|seen|said|found|within|calm|patiently|spanned)\\(",
    "a verb in the imperative, or a noun",
  ],
  [
    "\\b(?:const|let) (asked|beside|given|heard|held|meant|otherwise|said|standing|told|wanted|well)\\b",
    "a noun for the value",
  ],
  ["[({,] ?(asked|said|told|wanted|standing)(?=[:,)]| })", "a noun for the value"],
  ["^\\s*(asked|said|told|wanted|standing)(?=\\??[:,]| =)", "a noun for the value"],
  ["\\bcame_of_it\\b", "a noun for the value"],
];

/** Names in SQL that say nothing about what they hold or do. */
const SQL_NAMES: readonly [pattern: string, instead: string][] = [
  [
    "\\b(keep|kept|tell|revise|refuse)_\\w+",
    "a verb of PostgreSQL or the queue: refresh_, notify_, reject_, validate_",
  ],
  ["\\b\\w+_(stays|is_whole|said|told|asked)\\b", "a noun for the value, or a verb in the imperative"],
  ["\\b(asked|told|said) as \\(", "a noun for the rows"],
  ["^ {2}(asked|edition|held_until|holds|place|said|standing|told|told_at) [a-z]", "a noun for the value"],
];

const FILE_NAMES =
  /^(house|walls|faces|desk|calm|carry|raise|around|courier|patience|visit|prospect|enliven|place|words|told|given)\./;

const TEXTS = /\.(ts|mjs|py|c|h|sql|md|html|css|yml|yaml|service|sh)$/;
/** Files that quote the wording, or that are not ours to word. */
const EXCEPTIONS =
  /^(scripts\/language(\.\w+)*\.ts|suites\/|package-lock\.json|LICENSE|.*\.vector\.json|.*\/lookalikes)/;

export interface Finding {
  file: string;
  line: number;
  text: string;
  instead: string;
}

/** Returns what is worded badly in a file's text. */
export function findWording(file: string, text: string): Finding[] {
  const names = file.endsWith(".sql") ? SQL_NAMES : /\.(ts|mjs|py)$/.test(file) ? IDENTIFIERS : [];
  const rules = [
    ...WORDING.map(([pattern, instead]) => ({ pattern: new RegExp(pattern, "i"), instead })),
    ...names.map(([pattern, instead]) => ({ pattern: new RegExp(pattern), instead })),
  ];
  return text.split("\n").flatMap((content, index) =>
    rules.flatMap(({ pattern, instead }) => {
      const found = pattern.exec(content);
      return found === null ? [] : [{ file, line: index + 1, text: found[0], instead }];
    }),
  );
}

/** Returns what is worded badly in the files that git knows. */
export function findInRepository(): Finding[] {
  const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
    cwd: ROOT,
    encoding: "utf8",
    maxBuffer: 1 << 26,
  });
  return files
    .split("\n")
    .filter((file) => TEXTS.test(file) && !EXCEPTIONS.test(file))
    .flatMap((file) => {
      const name = file.slice(file.lastIndexOf("/") + 1);
      const named = FILE_NAMES.exec(name);
      const findings = findWording(file, readFileSync(join(ROOT, file), "utf8"));
      return named === null ? findings : [{ file, line: 0, text: name, instead: "the field's term" }, ...findings];
    });
}

if (import.meta.main) {
  const findings = findInRepository();
  for (const { file, line, text, instead } of findings) console.error(`${file}:${line}: "${text}": write ${instead}`);
  if (findings.length > 0) process.exit(1);
}
