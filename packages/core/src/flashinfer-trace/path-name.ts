/**
 * Returns a name of a document as a part of a path: letters, digits, `-`, `_` and `.`, and `-` for all else.
 * @example pathName("Ragged Sum.v1")   // "Ragged-Sum.v1"
 */
export function pathName(name: string): string {
  return (
    name
      .replace(/[^A-Za-z0-9._-]+/g, "-")
      .replace(/^[.-]+/, "")
      .slice(0, 120) || "unnamed"
  );
}
