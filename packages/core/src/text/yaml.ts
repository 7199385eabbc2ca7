/** Parses YAML written by organisers, with a limit on its length and in time linear in it. */
import { isScalar, LineCounter, parseDocument, visit } from "yaml";

/** Maximum length of a document in characters. A document of this length that consists only of keys takes 0.3 s. */
export const MAX_YAML_LENGTH = 200_000;

/**
 * Parses a document.
 * @throws Error with the reason and the line.
 */
export function parseYaml(text: string): unknown {
  if (text.length > MAX_YAML_LENGTH) {
    throw new Error(`it has ${text.length} characters; at most ${MAX_YAML_LENGTH} are allowed`);
  }
  const lines = new LineCounter();
  // The library's own check compares each key of a mapping with all earlier keys: 60,000 keys take 48 s.
  const document = parseDocument(text, { uniqueKeys: false, lineCounter: lines });
  const [error] = document.errors;
  if (error !== undefined) throw error;
  visit(document, {
    Map(_, { items }) {
      const names = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        if (names.has(key.value)) {
          const { line, col } = lines.linePos(key.range?.[0] ?? 0);
          throw new Error(`the key ${JSON.stringify(key.value)} is repeated at line ${line}, column ${col}`);
        }
        names.add(key.value);
      }
    },
  });
  return document.toJS();
}
