/** The page on which an account reads the moderators' decisions about it, and appeals. */
import { AppealRequest } from "@kernelbot/core";
import { ownDecisionsPage } from "@kernelbot/web";
import type { Context, Hono } from "hono";
import { z } from "zod";
import type { Identity } from "../db/identity.ts";
import { appeal } from "../moderation/appeal.ts";
import { decisionsAbout } from "../moderation/decisions.ts";
import { Id } from "./endpoint.ts";
import type { Faces, HttpEnv } from "./faces.ts";
import { formsOf, signed, type Refused } from "./forms.ts";
import { readFields, validated } from "./input.ts";
import { visitOf } from "./visit.ts";

export function mountOwnDecisionPages(app: Hono<HttpEnv>, faces: Faces): void {
  const { database } = faces;

  app.get(
    "/account/decisions",
    signed(faces, async (c, identity) => c.html(await pageOf(c, identity))),
  );

  const act = formsOf(faces, pageOf);

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
      visit: visitOf(c, faces, identity),
      decisions: await decisionsAbout(database, identity.account.id),
      problem: refused?.problem,
      typed: refused && { id: Number(c.req.param("id")), text: refused.typed.get("text") ?? "" },
    });
  }
}
