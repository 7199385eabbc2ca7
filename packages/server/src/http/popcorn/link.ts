/** The page that links the popcorn client: it creates a KernelBot token for use as `cli_id`. */
import { TokenRequest } from "@kernelbot/core";
import { popcornPage } from "@kernelbot/web";
import type { Hono } from "hono";
import { createToken } from "../../people/tokens.ts";
import { signed } from "../forms.ts";
import type { Faces, HttpEnv } from "../faces.ts";
import { originOf } from "../origin.ts";
import { visitOf } from "../visit.ts";

export function mountPopcornLink(app: Hono<HttpEnv>, faces: Faces): void {
  app.get(
    "/link-popcorn",
    signed(faces, async (c, identity) =>
      c.html(await popcornPage({ visit: visitOf(c, faces, identity), server: originOf(c, faces.site) })),
    ),
  );

  app.post(
    "/link-popcorn",
    signed(faces, async (c, identity) => {
      const request = TokenRequest.parse({ label: "popcorn client", scopes: ["submit", "read"] });
      const { token } = await createToken(faces.database, identity, request);
      return c.html(await popcornPage({ visit: visitOf(c, faces, identity), server: originOf(c, faces.site), token }));
    }),
  );
}
