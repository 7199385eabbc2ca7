import { z } from "zod";

/** Colour schemes that a user may choose; the default follows the system. */
export const THEMES = ["light", "dark"] as const;
export const Theme = z.enum(THEMES);
export type Theme = z.infer<typeof Theme>;
