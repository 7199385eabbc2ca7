import type { Page } from "../render/page.ts";
import { PLAIN } from "../style.ts";

/** The page that texts are made for: no colours, and lines that any reader holds. */
export const PAGE: Page = { width: 120, style: PLAIN, histograms: false };
