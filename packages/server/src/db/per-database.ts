import type { Database } from "./database.ts";

/** Something that each open database has one of, made when it is first asked for. */
export function perDatabase<T>(make: (database: Database) => T): (database: Database) => T {
  const made = new WeakMap<Database, T>();
  return (database) => {
    const existing = made.get(database);
    if (existing !== undefined) return existing;
    const fresh = make(database);
    made.set(database, fresh);
    return fresh;
  };
}
