/** Pages on which a person confirms the code that a program displays (RFC 8628, section 3.3). */
import { KernelBotError } from "@kernelbot/core";
import { deviceConfirmPage, deviceDonePage, devicePage } from "@kernelbot/web";
import type { Hono } from "hono";
import { z } from "zod";
import { decide, findAsking } from "../device-grant.ts";
import { signed } from "../../http/forms.ts";
import type { Services, HttpEnv } from "../../services.ts";
import { readFields } from "../../http/input.ts";
import { visitOf } from "../../http/page-context.ts";

const Code = z.object({ code: z.string().max(40) });
const Decision = Code.extend({ decision: z.enum(["allow", "deny"]) });

export function mountDevicePages(app: Hono<HttpEnv>, services: Services): void {
  const { database } = services;

  app.get(
    "/device",
    signed(services, async (c, identity) => c.html(await devicePage({ visit: visitOf(c, services, identity) }))),
  );

  app.post(
    "/device",
    signed(services, async (c, identity) => {
      const { code } = await readFields(c, Code);
      try {
        const { userCode, ...asking } = await findAsking(database, identity, code);
        return c.html(await deviceConfirmPage({ visit: visitOf(c, services, identity), code: userCode, ...asking }));
      } catch (problem) {
        if (!(problem instanceof KernelBotError && problem.code === "not_found")) throw problem;
        return c.html(await devicePage({ visit: visitOf(c, services, identity), problem: problem.message }), 404);
      }
    }),
  );

  app.post(
    "/device/decide",
    signed(services, async (c, identity) => {
      const { code, decision } = await readFields(c, Decision);
      await decide(database, identity, code, decision === "allow");
      return c.html(await deviceDonePage({ visit: visitOf(c, services, identity), allowed: decision === "allow" }));
    }),
  );
}
