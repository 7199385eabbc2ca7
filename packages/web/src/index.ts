export { buildAssets, type Asset } from "./assets.ts";
export { boardPage } from "./board.ts";
export { competitionPage, joinPage } from "./competition.ts";
export { errorPage, notFoundPage } from "./errors.ts";
export { homePage } from "./home.ts";
export { sourcePage } from "./source.ts";
export { submissionPage } from "./submission.ts";
