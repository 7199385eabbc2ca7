/** Lexical structure of Python sources. Nothing is parsed or run, and the time is linear in the length of a source. */

/** Comment or string literal, triple quotes first. An unterminated string ends with its line, a triple-quoted one with the source. */
const TOKEN = /#[^\n]*|("""|''')(?:\\[\s\S]|(?!\1)[^\\])*(?:\1)?|"(?:\\[\s\S]|[^"\\\n])*"?|'(?:\\[\s\S]|[^'\\\n])*'?/g;

/** Returns a source without comments, once with its strings and once with empty strings; line numbers are preserved. */
export function withoutComments(source: string): { code: string; withStrings: string } {
  const lines = (text: string) => text.replace(/[^\n]/g, "");
  const withStrings = source.replace(TOKEN, (token) => (token.startsWith("#") ? "" : token));
  const code = source.replace(TOKEN, (token) => (token.startsWith("#") ? "" : `''${lines(token)}`));
  return { code, withStrings };
}

/** Returns the construct that is still open at the end of a source, which is thus incomplete; null if there is none. */
export function openConstruct(source: string): string | null {
  const isOpen = ([token, quotes]: RegExpExecArray) =>
    quotes !== undefined && (token.length < 6 || !token.endsWith(quotes));
  if ([...source.matchAll(TOKEN)].some(isOpen)) return "a string";
  const code = source.replace(TOKEN, (token) => (token.startsWith("#") ? "" : "''"));
  const count = (brackets: RegExp) => code.match(brackets)?.length ?? 0;
  if (count(/[([{]/g) > count(/[)\]}]/g)) return "brackets";
  return code.trimEnd().endsWith(":") ? "a block" : null;
}
