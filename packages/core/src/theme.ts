import { z } from "zod";

/** The colours that a person may choose for the site, besides following the system. */
export const THEMES = ["light", "dark"] as const;
export const Theme = z.enum(THEMES);
export type Theme = z.infer<typeof Theme>;
