/** Opens a browser page with a signed-in account. */
import type { Browser, BrowserContextOptions } from "playwright-core";
import type { Identity } from "@kernelbot/server/src/auth/identity.ts";
import type { TestServer } from "./server-with-problems.ts";
import { beginSession } from "@kernelbot/server/src/auth/sessions.ts";
import { openPage } from "./chromium.ts";

/** Opens the page; narrow viewports (phones) use the dark colour scheme. */
export async function signedIn(
  browser: Browser,
  { database, url }: Pick<TestServer, "database" | "url">,
  { account }: Pick<Identity, "account">,
  { width = 1280, ...options }: BrowserContextOptions & { width?: number } = {},
): ReturnType<typeof openPage> {
  const opened = await openPage(browser, width, { colorScheme: width < 500 ? "dark" : "light", ...options });
  const value = await database.db
    .transaction()
    .execute((open) => beginSession(open, account.id, { address: "192.0.2.1", userAgent: "Browser/1" }));
  await opened.page.context().addCookies([{ name: "kernelbot_session", value, url }]);
  return opened;
}
