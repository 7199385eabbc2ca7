/** What the tables of this folder store about a person. */
import { ROLE_RECORD, kept, type PersonalTable } from "../db/personal-tables.ts";

export const PROBLEMS_TABLES: readonly PersonalTable[] = [
  kept("problem_change", "changes of problems", "kept under the pseudonym", { notExported: ROLE_RECORD }),
];
