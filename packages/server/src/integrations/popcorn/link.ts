/** The page that links the popcorn client: it creates a KernelBot token for use as `cli_id`. */
import { TokenRequest } from "@kernelbot/core";
import { popcornPage } from "@kernelbot/web";
import type { Hono } from "hono";
import { createToken } from "../../auth/tokens.ts";
import { signed } from "../../http/forms.ts";
import type { Services, HttpEnv } from "../../services.ts";
import { originOf } from "../../http/origin.ts";
import { visitOf } from "../../http/page-context.ts";

export function mountPopcornLink(app: Hono<HttpEnv>, services: Services): void {
  app.get(
    "/link-popcorn",
    signed(services, async (c, identity) =>
      c.html(await popcornPage({ visit: visitOf(c, services, identity), server: originOf(c, services.site) })),
    ),
  );

  app.post(
    "/link-popcorn",
    signed(services, async (c, identity) => {
      const request = TokenRequest.parse({ label: "popcorn client", scopes: ["submit", "read"] });
      const { token } = await createToken(services.database, identity, request);
      return c.html(
        await popcornPage({ visit: visitOf(c, services, identity), server: originOf(c, services.site), token }),
      );
    }),
  );
}
