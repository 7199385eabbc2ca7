import type { Context } from "hono";
import type { Identity } from "@kernelbot/server/src/auth/identity.ts";
import type { Viewer } from "@kernelbot/server/src/auth/visibility.ts";
import type { CallerOf, PageRoute } from "@kernelbot/server/src/http/page.ts";
import type { Services, HttpEnv } from "@kernelbot/server/src/services.ts";
import { identifyCaller, type PopcornAccess } from "./caller.ts";
import { requireQuery } from "./input.ts";

/** Request, as a handler receives it. */
export interface PopcornCall<Caller extends Viewer = Identity> {
  c: Context<HttpEnv>;
  services: Services;
  identity: Caller;
}

/** Declares a route of the popcorn client's API, with the query parameters that it allows. */
export function popcornRoute<A extends PopcornAccess>(
  method: PageRoute["method"],
  path: string,
  access: A,
  handle: (call: PopcornCall<CallerOf<A>>) => Response | Promise<Response>,
  query: readonly string[] = [],
): PageRoute {
  return {
    method,
    path,
    access,
    mount(app, services) {
      app.on(method.toUpperCase(), path, async (c) => {
        requireQuery(c, query);
        const identity = await identifyCaller(c, services, access);
        return handle({ c, services, identity } as PopcornCall<CallerOf<A>>);
      });
    },
  };
}
