export * from "./api.ts";
export * from "./entry.ts";
export * from "./key.ts";
export * from "./pass-at-k.ts";
export * from "./score.ts";
export * from "./scoring.ts";
export * from "./stored-baseline.ts";
export * from "./suite.ts";
