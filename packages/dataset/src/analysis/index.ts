/** Analyses of a dataset, as functions of its rows. */
export * from "./board.ts";
export * from "./clusters.ts";
export * from "./failures.ts";
export * from "./fastest.ts";
export * from "./strip-comments.ts";
export * from "./progress.ts";
export * from "./speedup.ts";
export * from "./technique-patterns.ts";
export * from "./techniques.ts";
export * from "./contestants.ts";
