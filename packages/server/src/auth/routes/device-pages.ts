/** Pages on which a person confirms the code that a program displays (RFC 8628, section 3.3). */
import { KernelBotError } from "@kernelbot/core";
import { deviceConfirmPage, deviceDonePage, devicePage } from "@kernelbot/web";
import { z } from "zod";
import { decideDeviceGrant, findPendingGrant } from "../device-grant.ts";
import { form, page, type PageRoute } from "../../http/page.ts";

const Code = z.object({ code: z.string().max(40) });
const Decision = Code.extend({ decision: z.enum(["allow", "deny"]) });

export const devicePages: readonly PageRoute[] = [
  page({ path: "/device", access: "signed-in", handle: ({ visit }) => devicePage({ visit }) }),

  form({
    path: "/device",
    fields: Code,
    async handle({ c, services, identity, visit, fields }) {
      try {
        const { userCode, ...asking } = await findPendingGrant(services.database, identity, fields.code);
        return c.html(await deviceConfirmPage({ visit, code: userCode, ...asking }));
      } catch (problem) {
        if (!(problem instanceof KernelBotError && problem.code === "not_found")) throw problem;
        return c.html(await devicePage({ visit, problem: problem.message }), 404);
      }
    },
  }),

  form({
    path: "/device/decide",
    fields: Decision,
    async handle({ c, services, identity, visit, fields: { code, decision } }) {
      const allowed = decision === "allow";
      await decideDeviceGrant(services.database, identity, code, allowed);
      return c.html(await deviceDonePage({ visit, allowed }));
    },
  }),
];
