import { sample } from "./sample.ts";

/** Widths of the windows in which browser tests repeat a path, in pixels: a laptop's and a phone's, one for each commit. */
export const WIDTHS = sample([1280, 360], { share: 0.5 });
