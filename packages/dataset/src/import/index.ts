/** The way from files of the corpus to a server. */
export * from "./batches.ts";
export * from "./plan.ts";
export type { Fault, LeftOut } from "./rows.ts";
