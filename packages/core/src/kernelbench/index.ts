export * from "./api.ts";
export * from "./entry.ts";
export * from "./key.ts";
export * from "./score.ts";
export * from "./suite.ts";
