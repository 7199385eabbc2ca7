/** The page that links the popcorn client: it creates a KernelBot token for use as `cli_id`. */
import { TokenRequest } from "@kernelbot/core";
import { popcornPage } from "@kernelbot/web";
import { createToken } from "../../auth/tokens.ts";
import { originOf } from "../../http/origin.ts";
import { form, page, type PageRoute } from "../../http/page.ts";

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
