/** Import of corpus files into a server. */
export * from "./batches.ts";
export * from "./plan.ts";
export type { Fault, LeftOut } from "./corpus-rows.ts";
