/**
 * Text for terminals: sanitized text, layout, styles, and tables of checks. Without the schemas, which take most of the
 * start-up time of a command.
 */
export * from "../text/text.ts";
export * from "./check-lines.ts";
export * from "./columns.ts";
export * from "./style.ts";
