import type { Page } from "../render/page.ts";
import { PLAIN } from "../output/style.ts";

/** Page for rendering texts: 120 columns and no colours. */
export const PAGE: Page = { width: 120, style: PLAIN, histograms: false };
