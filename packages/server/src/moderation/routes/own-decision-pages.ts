/** The page on which an account reads the moderators' decisions about it, and appeals. */
import { AppealRequest } from "@kernelbot/core";
import { ownDecisionsPage } from "@kernelbot/web";
import type { Context, Hono } from "hono";
import { z } from "zod";
import type { Identity } from "../../auth/identity.ts";
import { appeal } from "../appeal.ts";
import { decisionsAbout } from "../decisions.ts";
import { Id } from "../../http/endpoint.ts";
import type { Services, HttpEnv } from "../../services.ts";
import { formsOf, signed, type Refused } from "../../http/forms.ts";
import { readFields, validated } from "../../http/input.ts";
import { visitOf } from "../../http/page-context.ts";

export function mountOwnDecisionPages(app: Hono<HttpEnv>, services: Services): void {
  const { database } = services;

  app.get(
    "/account/decisions",
    signed(services, async (c, identity) => c.html(await pageOf(c, identity))),
  );

  const act = formsOf(services, pageOf);

  app.post(
    "/account/decisions/:id{[0-9]+}/appeal",
    act(async (c, identity) => {
      const { id } = validated(Id, c.req.param());
      const { text } = await readFields(c, z.object({ text: z.string() }));
      await appeal(database, identity, id, validated(AppealRequest, { text: text.replaceAll("\r\n", "\n") }).text);
      return c.redirect(`/account/decisions#decision-${id}`, 303);
    }),
  );

  async function pageOf(c: Context<HttpEnv>, identity: Identity, refused?: Refused): Promise<string> {
    return ownDecisionsPage({
      visit: visitOf(c, services, identity),
      decisions: await decisionsAbout(database, identity.account.id),
      problem: refused?.problem,
      typed: refused && { id: Number(c.req.param("id")), text: refused.typed.get("text") ?? "" },
    });
  }
}
