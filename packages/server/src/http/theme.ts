import { Theme } from "@kernelbot/core";
import { z } from "zod";
import { dropCookie, THEME_COOKIE, writeCookie } from "./cookies.ts";
import { localPath } from "./origin.ts";
import { form, type PageRoute } from "./page.ts";

/** The form that sets the colour theme of this browser. */
export const themeRoutes: readonly PageRoute[] = [
  form({
    path: "/theme",
    access: "anyone",
    fields: z.object({ theme: z.enum(["system", ...Theme.options]), next: z.string().max(2000).optional() }),
    handle({ c, services, fields: { theme, next } }) {
      if (theme === "system") dropCookie(c, services, THEME_COOKIE);
      else writeCookie(c, services, THEME_COOKIE, theme);
      return localPath(next, "/");
    },
  }),
];
