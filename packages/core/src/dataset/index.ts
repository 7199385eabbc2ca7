export * from "./analysis.ts";
export * from "./snapshot.ts";
