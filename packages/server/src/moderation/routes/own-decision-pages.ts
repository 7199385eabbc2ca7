/** The page on which an account reads the moderators' decisions about it, and appeals. */
import { Id } from "@kernelbot/api";
import { AppealRequest } from "@kernelbot/core";
import { ownDecisionsPage } from "@kernelbot/web";
import { z } from "zod";
import { appeal } from "../appeal.ts";
import { decisionsAbout } from "../decisions.ts";
import { validated } from "../../http/input.ts";
import { form, page, type PageRoute } from "../../http/page.ts";

const decisions = page({
  path: "/account/decisions",
  access: "signed-in",
  async handle({ c, services, identity, visit, rejected }) {
    return ownDecisionsPage({
      visit,
      decisions: await decisionsAbout(services.database, identity.account.id),
      problem: rejected?.problem,
      typed: rejected && { id: Number(c.req.param("id")), text: rejected.typed.get("text") ?? "" },
    });
  },
});

export const ownDecisionPages: readonly PageRoute[] = [
  decisions,

  form({
    path: "/account/decisions/:id{[0-9]+}/appeal",
    on: decisions,
    params: Id,
    fields: z.object({ text: z.string() }),
    async handle({ services, identity, params: { id }, fields }) {
      const { text } = validated(AppealRequest, { text: fields.text.replaceAll("\r\n", "\n") });
      await appeal(services.database, identity, id, text);
      return `/account/decisions#decision-${id}`;
    },
  }),
];
