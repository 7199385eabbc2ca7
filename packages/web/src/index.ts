export { accountPage, type AccountPage } from "./account.ts";
export { buildAssets, type Asset } from "./assets.ts";
export { boardPage } from "./board.ts";
export { deviceConfirmPage, deviceDonePage, devicePage } from "./device.ts";
export { errorPage, notFoundPage, refusalPage } from "./errors.ts";
export { homePage } from "./home.ts";
export type { Viewer } from "./layout.ts";
export { signInLinkPage, signInPage } from "./sign-in.ts";
export { submissionPage } from "./submission.ts";
