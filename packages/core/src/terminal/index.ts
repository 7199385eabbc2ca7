/** Text for terminals: layout, styles, and tables of checks. */
export * from "./check-lines.ts";
export * from "./columns.ts";
export * from "./style.ts";
