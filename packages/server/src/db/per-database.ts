import type { Database } from "./database.ts";

/** Returns a function that creates one value per open database, at its first call for that database. */
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
