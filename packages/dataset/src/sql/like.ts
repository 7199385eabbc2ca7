/**
 * Matches `text LIKE pattern`: % matches any characters, _ matches one, line breaks included; case-sensitive. Each part
 * between two % is searched for once, so the time is at most the product of the lengths.
 */
export function like(text: string, pattern: string): boolean {
  const [first = "", ...rest] = pattern.split("%");
  if (!matchesAt(text, first, 0)) return false;
  const last = rest.pop();
  if (last === undefined) return text.length === first.length;
  let at = first.length;
  for (const part of rest) {
    const found = find(text, part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && matchesAt(text, last, text.length - last.length);
}

function find(text: string, part: string, from: number): number {
  if (!part.includes("_")) return text.indexOf(part, from);
  for (let at = from; at + part.length <= text.length; at += 1) if (matchesAt(text, part, at)) return at;
  return -1;
}

function matchesAt(text: string, part: string, at: number): boolean {
  if (at + part.length > text.length) return false;
  for (let of = 0; of < part.length; of += 1) if (part[of] !== "_" && part[of] !== text[at + of]) return false;
  return true;
}
