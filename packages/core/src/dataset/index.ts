export * from "./analysis.ts";
export * from "./import.ts";
export * from "./snapshot.ts";
