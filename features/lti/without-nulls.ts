/**
 * Returns a JSON document in which objects have no members that are null: some platforms send null for what they do not
 * know, instead of leaving it out.
 */
export function withoutNulls(document: unknown): unknown {
  return JSON.parse(JSON.stringify(document), (_, value: unknown) => value ?? undefined);
}
