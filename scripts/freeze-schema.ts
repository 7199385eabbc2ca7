/** Copies the schema files into the first migration, as docs/contribute/change-the-database.md describes for the first release. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { FIRST_MIGRATION } from "../packages/server/src/db/migrate.ts";
import { readSchema } from "../packages/server/src/db/schema.ts";

const file = join(import.meta.dirname, "../packages/server/src/db/migrations", FIRST_MIGRATION);
// A published migration never changes, so an existing file is not overwritten.
writeFileSync(file, await readSchema(), { flag: "wx" });
console.log(`wrote ${file}`);
