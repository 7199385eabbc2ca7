/** The page that links the popcorn client: it creates a KernelBot token for use as `cli_id`. */
import { TokenRequest } from "@kernelbot/core";
import { createToken } from "@kernelbot/server/src/auth/tokens.ts";
import { originOf } from "@kernelbot/server/src/http/origin.ts";
import { form, page, type PageRoute } from "@kernelbot/server/src/http/page.ts";
import { popcornPage } from "./link-page.ts";

export const popcornLinkPages: readonly PageRoute[] = [
  page({
    path: "/link-popcorn",
    access: "signed-in",
    handle: ({ c, services, visit }) => popcornPage({ visit, server: originOf(c, services.site) }),
  }),

  form({
    path: "/link-popcorn",
    async handle({ c, services, identity, visit }) {
      const request = TokenRequest.parse({ label: "popcorn client", scopes: ["submit", "read"] });
      const { token } = await createToken(services.database, identity, request);
      return c.html(await popcornPage({ visit, server: originOf(c, services.site), token }));
    },
  }),
];
