/** Rules for account names: they are shown on boards and must not impersonate others or be invisible. */
import { KernelBotError, MAX_NAME, quote } from "@kernelbot/core";
import { skeletonOf } from "./lookalikes.ts";
import { isInOneScript } from "./scripts.ts";

/**
 * Characters that names must not contain: control and format characters (which reorder or hide text), unassigned code
 * points and invisible characters. U+2800 is a braille pattern without dots.
 */
const UNSEEN = /[\p{C}\p{Default_Ignorable_Code_Point}\u2800]/gu;
/** More than two combining marks in a row, which no script needs and which overlap the lines above. */
const PILED_MARKS = /(\p{M}{2})\p{M}+/gu;
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;

/** Reserved names, which would impersonate the platform. */
const RESERVED = new Set([
  ...["admin", "administrator", "anonymous", "deleted", "kernelbot", "moderator", "operator", "organiser"],
  ...["organizer", "root", "runner", "server", "staff", "support", "system"],
]);

/** Returns a displayable form of an untrusted name; null if nothing displayable is left. */
export function cleanName(text: string): string | null {
  const visible = text.normalize("NFKC").replace(/\s+/gu, " ").replace(UNSEEN, "").replace(PILED_MARKS, "$1").trim();
  const short = Array.from(visible).slice(0, MAX_NAME).join("").trim();
  return LETTER_OR_DIGIT.test(short) ? short : null;
}

const RESERVED_SKELETONS = new Set([...RESERVED].map(skeletonOf));

/** Returns whether a name is reserved or looks like a reserved one. */
function isReserved(name: string): boolean {
  return RESERVED_SKELETONS.has(skeletonOf(name));
}

/**
 * Checks that a name does not mix scripts whose letters look alike.
 * @throws KernelBotError `unprocessable`.
 */
export function requireOneScript(name: string): void {
  if (isInOneScript(name)) return;
  throw new KernelBotError(
    "unprocessable",
    `${quote(name)} is not a valid name: it mixes scripts with similar letters, or uses a script that names may not use; write it ` +
      "in one script, such as Latin or Greek",
  );
}

/**
 * Validates a chosen name and returns it normalised (NFKC).
 * @throws KernelBotError `unprocessable` if it is too long, not displayable, mixes scripts or is reserved.
 */
export function checkedName(text: string): string {
  const name = text.trim();
  if (Array.from(name).length > MAX_NAME) {
    throw new KernelBotError("unprocessable", `a name has at most ${MAX_NAME} characters`);
  }
  if (cleanName(name) !== name.normalize("NFKC")) {
    throw new KernelBotError(
      "unprocessable",
      `${quote(name)} is not a valid name: use visible letters and digits, with single spaces`,
    );
  }
  requireOneScript(name);
  if (isReserved(name))
    throw new KernelBotError("unprocessable", `the name ${quote(name)} is reserved; choose another`);
  return name.normalize("NFKC");
}

/** Yields candidate names for a new account, derived from the name at the provider. Endless; each is displayable. */
export function* namesFor(requestedName: string): Generator<string> {
  const cleaned = cleanName(requestedName);
  const base = cleaned !== null && isInOneScript(cleaned) ? cleaned : "participant";
  if (!isReserved(base)) yield base;
  const short = Array.from(base)
    .slice(0, MAX_NAME - 5)
    .join("")
    .trim();
  for (let number = 2; number < 10; number += 1) yield `${short}-${number}`;
  for (;;) yield `${short}-${1000 + Math.floor(9000 * Math.random())}`;
}
