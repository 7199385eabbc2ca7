/** Text of a member of a JSON object. */

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]/g;

/**
 * Returns the value of a member as it is written, which keeps what JavaScript's numbers lose: `1.0`, large integers.
 * @param text a valid JSON object
 * @throws RangeError if it has no member of this name
 * @example memberText('{"a": {"b": 1.0}}', "a")   // '{"b": 1.0}'
 */
export function memberText(text: string, name: string): string {
  let depth = 0;
  let key: string | null = null;
  let begin = 0;
  let found: string | null = null;
  let last = "";
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (token.startsWith('"')) {
      if (depth === 1 && (last === "{" || last === ",")) key = JSON.parse(token) as string;
    } else if (token === ":" && depth === 1) begin = index + 1;
    else if (depth === 1 && key === name && (token === "," || token === "}")) found = text.slice(begin, index).trim();
    if (token === "{" || token === "[") depth += 1;
    if (token === "}" || token === "]") depth -= 1;
    last = token;
  }
  if (found === null) throw new RangeError(`the object has no member ${JSON.stringify(name)}`);
  return found;
}
