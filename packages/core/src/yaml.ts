/** YAML of organisers: bounded in length, and read in time that grows with its length. */
import { isScalar, LineCounter, parseDocument, visit } from "yaml";

/** Characters of a document. Measured on one of nothing but keys: 0.3 s. */
export const MAX_YAML_LENGTH = 200_000;

/**
 * Returns the value of a document.
 * @throws Error that says what is wrong, and in which line.
 */
export function parseYaml(text: string): unknown {
  if (text.length > MAX_YAML_LENGTH) {
    throw new Error(`it has ${text.length} characters, and may have ${MAX_YAML_LENGTH} at most`);
  }
  const lines = new LineCounter();
  // The library compares each key of a mapping with all keys before it: 60,000 keys take 48 s.
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
