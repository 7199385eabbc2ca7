import { sql, type RawBuilder } from "kysely";

/** Rest of the budget of a session. */
export interface BudgetRow {
  evaluations_left: number;
  seconds_left: number;
}

/** SQL: the columns of `BudgetRow` for a session by its alias. */
export function budgetOf(session: string): RawBuilder<unknown> {
  const of = (column: string) => sql.ref(`${session}.${column}`);
  return sql`${of("max_evaluations")} - ${of("used")} as evaluations_left,
    greatest(0, ceil(extract(epoch from ${of("ends_at")} - clock_timestamp())))::integer as seconds_left`;
}
