/** The names of accounts: what others read on a board, so that one cannot pass for another or for nothing. */
import { KernelBotError, MAX_NAME, quote } from "@kernelbot/core";
import { skeletonOf } from "./lookalikes.ts";
import { isInOneScript } from "./scripts.ts";

/**
 * What a name may not hold: control and format characters (which reorder or hide text), what is not assigned, and what
 * is drawn as nothing. U+2800 is a braille pattern without dots.
 */
const UNSEEN = /[\p{C}\p{Default_Ignorable_Code_Point}\u2800]/gu;
/** Marks over marks, beyond what any script writes, climb into the lines above. */
const PILED_MARKS = /(\p{M}{2})\p{M}+/gu;
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;

/** Names that speak for the house. */
const RESERVED = new Set([
  ...["admin", "administrator", "anonymous", "deleted", "kernelbot", "moderator", "operator", "organiser"],
  ...["organizer", "root", "runner", "server", "staff", "support", "system"],
]);

/** A name of a stranger in a form that can be shown; null where nothing is left of it. */
export function cleanName(text: string): string | null {
  const shown = text.normalize("NFKC").replace(/\s+/gu, " ").replace(UNSEEN, "").replace(PILED_MARKS, "$1").trim();
  const short = Array.from(shown).slice(0, MAX_NAME).join("").trim();
  return LETTER_OR_DIGIT.test(short) ? short : null;
}

const RESERVED_SKELETONS = new Set([...RESERVED].map(skeletonOf));

/** Whether a name is one that speaks for the house, or looks like one. */
export function isReserved(name: string): boolean {
  return RESERVED_SKELETONS.has(skeletonOf(name));
}

/** @throws KernelBotError `unprocessable` where the name mixes scripts, whose letters look alike. */
export function requireOneScript(name: string): void {
  if (isInOneScript(name)) return;
  throw new KernelBotError(
    "unprocessable",
    `${quote(name)} cannot be a name: it mixes scripts whose letters look alike, or has one that names may not have; write it ` +
      "in one script, such as Latin or Greek alone",
  );
}

/**
 * A name that a person chose, as it is.
 * @throws KernelBotError `unprocessable` where it would have to be changed, or speaks for the house.
 */
export function checkedName(text: string): string {
  const name = text.trim();
  if (Array.from(name).length > MAX_NAME) {
    throw new KernelBotError("unprocessable", `a name has ${MAX_NAME} characters at most`);
  }
  if (cleanName(name) !== name.normalize("NFKC")) {
    throw new KernelBotError(
      "unprocessable",
      `${quote(name)} cannot be a name: use letters and digits that can be seen, with single spaces`,
    );
  }
  requireOneScript(name);
  if (isReserved(name))
    throw new KernelBotError("unprocessable", `the name ${quote(name)} is reserved; choose another`);
  return name.normalize("NFKC");
}

/** Names to try for a new account, from what a provider calls the person. Each is one that can be shown. */
export function* namesFor(wanted: string): Generator<string> {
  const cleaned = cleanName(wanted);
  const base = cleaned !== null && isInOneScript(cleaned) ? cleaned : "participant";
  if (!isReserved(base)) yield base;
  const short = Array.from(base)
    .slice(0, MAX_NAME - 5)
    .join("")
    .trim();
  for (let number = 2; number < 10; number += 1) yield `${short}-${number}`;
  for (;;) yield `${short}-${1000 + Math.floor(9000 * Math.random())}`;
}
