/** Pages on which a person confirms the code that a program displays (RFC 8628, section 3.3). */
import { KernelBotError } from "@kernelbot/core";
import { deviceConfirmPage, deviceDonePage, devicePage } from "@kernelbot/web";
import type { Hono } from "hono";
import { z } from "zod";
import { decide, findAsking } from "../people/device.ts";
import { signed } from "./forms.ts";
import type { Faces, HttpEnv } from "./faces.ts";
import { readFields } from "./input.ts";
import { visitOf } from "./visit.ts";

const Code = z.object({ code: z.string().max(40) });
const Decision = Code.extend({ decision: z.enum(["allow", "deny"]) });

export function mountDevicePages(app: Hono<HttpEnv>, faces: Faces): void {
  const { database } = faces;

  app.get(
    "/device",
    signed(faces, async (c, identity) => c.html(await devicePage({ visit: visitOf(c, faces, identity) }))),
  );

  app.post(
    "/device",
    signed(faces, async (c, identity) => {
      const { code } = await readFields(c, Code);
      try {
        const { userCode, ...asking } = await findAsking(database, identity, code);
        return c.html(await deviceConfirmPage({ visit: visitOf(c, faces, identity), code: userCode, ...asking }));
      } catch (problem) {
        if (!(problem instanceof KernelBotError && problem.code === "not_found")) throw problem;
        return c.html(await devicePage({ visit: visitOf(c, faces, identity), problem: problem.message }), 404);
      }
    }),
  );

  app.post(
    "/device/decide",
    signed(faces, async (c, identity) => {
      const { code, decision } = await readFields(c, Decision);
      await decide(database, identity, code, decision === "allow");
      return c.html(await deviceDonePage({ visit: visitOf(c, faces, identity), allowed: decision === "allow" }));
    }),
  );
}
