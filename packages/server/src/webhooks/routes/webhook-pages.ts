/** The pages of an account's own webhooks. */
import { NewWebhook, type CreatedWebhook } from "@kernelbot/core";
import { NEW_WEBHOOK, webhookPage, webhooksPage } from "@kernelbot/web";
import type { Context, Hono } from "hono";
import { z } from "zod";
import { listOrganised } from "../../competitions/competitions.ts";
import { hasRole, type Identity } from "../../auth/identity.ts";
import { listDeliveries, redeliver } from "../log.ts";
import {
  createWebhook,
  deleteWebhook,
  listWebhooks,
  noWebhook,
  pauseWebhook,
  resumeWebhook,
  testWebhook,
} from "../webhooks.ts";
import { Id } from "../../http/endpoint.ts";
import type { Services, HttpEnv } from "../../services.ts";
import { formsOf, signed, type Refused } from "../../http/forms.ts";
import { validated, wholeNumber } from "../../http/input.ts";
import { visitOf } from "../../http/page-context.ts";

/** Deliveries per page of the log. */
const PAGE = 50;

const LogQuery = z.object({ before: wholeNumber(1, Number.MAX_SAFE_INTEGER).optional() });

/** Labels of the form's fields. */
const LABELS = { url: "address", events: "events", boards: "boards", competition: "competition" };

export function mountWebhookPages(app: Hono<HttpEnv>, services: Services): void {
  const { database } = services;

  app.get(
    "/account/webhooks",
    signed(services, async (c, identity) => c.html(await list(c, identity))),
  );

  const ofList = formsOf(services, (c, identity, refused) => list(c, identity, { refused }));
  app.post(
    "/account/webhooks",
    ofList(async (c, identity) => {
      const asked = askedFor(new URLSearchParams(await c.req.text()));
      const made = await createWebhook(database, identity, asked, { allowPrivate: services.privateWebhooks });
      return c.html(await list(c, identity, { made }));
    }),
  );

  app.get(
    "/account/webhooks/:id{[0-9]+}",
    signed(services, async (c, identity) => c.html(await one(c, identity))),
  );

  const ofOne = formsOf(services, (c, identity, { problem }) => one(c, identity, problem));
  const idOf = (c: Context<HttpEnv>): number => validated(Id, c.req.param()).id;
  for (const [word, act] of [
    ["test", testWebhook],
    ["pause", pauseWebhook],
    ["resume", resumeWebhook],
  ] as const) {
    app.post(
      `/account/webhooks/:id{[0-9]+}/${word}`,
      ofOne(async (c, identity) => {
        const { id } = await act(database, identity, idOf(c));
        return c.redirect(`/account/webhooks/${id}#log`, 303);
      }),
    );
  }

  app.post(
    "/account/webhooks/:id{[0-9]+}/deliveries/:delivery{msg_[0-9a-f]+}/redeliver",
    ofOne(async (c, identity) => {
      await redeliver(database, identity, idOf(c), c.req.param("delivery") ?? "");
      return c.redirect(`/account/webhooks/${idOf(c)}#log`, 303);
    }),
  );

  app.post(
    "/account/webhooks/:id{[0-9]+}/delete",
    ofOne(async (c, identity) => {
      await deleteWebhook(database, identity, idOf(c));
      return c.redirect("/account/webhooks", 303);
    }),
  );

  async function list(
    c: Context<HttpEnv>,
    identity: Identity,
    { made, refused }: { made?: CreatedWebhook; refused?: Refused } = {},
  ): Promise<string> {
    const text = (field: string): string => refused?.typed.get(field) ?? "";
    const typed = { url: text("url"), boards: text("boards"), competition: text("competition") };
    return webhooksPage({
      visit: visitOf(c, services, identity),
      webhooks: await listWebhooks(database, identity),
      fields: refused === undefined ? NEW_WEBHOOK : { ...typed, events: refused.typed.getAll("event") },
      competitions: await ownCompetitions(identity),
      made,
      problem: refused?.problem,
    });
  }

  /** Returns the competitions that the account itself organises; an administrator is not offered the others. */
  async function ownCompetitions(identity: Identity) {
    if (!hasRole(identity, "organiser")) return [];
    const all = await listOrganised(database, identity);
    return all.filter(({ organisers }) => organisers.some(({ id }) => id === identity.account.id));
  }

  async function one(c: Context<HttpEnv>, identity: Identity, problem?: string): Promise<string> {
    const id = idOf(c);
    const { before } = validated(LogQuery, c.req.query());
    const webhook = (await listWebhooks(database, identity)).find((each) => each.id === id);
    if (webhook === undefined) throw noWebhook(id);
    const deliveries = await listDeliveries(database, identity, id, { before, limit: PAGE + 1 });
    return webhookPage({
      visit: visitOf(c, services, identity),
      webhook,
      deliveries: deliveries.slice(0, PAGE),
      more: deliveries.length > PAGE,
      problem,
    });
  }
}

/**
 * Returns the webhook of the form's input.
 * @throws KernelBotError `unprocessable` that names the field.
 */
function askedFor(typed: URLSearchParams): NewWebhook {
  const lines = (typed.get("boards") ?? "").split(/\s+/).filter((line) => line !== "");
  const said = {
    url: typed.get("url"),
    events: typed.getAll("event"),
    boards: lines.map((line) => {
      const [board = "", ...target] = line.split("/");
      return { board, target: target.join("/") };
    }),
    competition: typed.get("competition") || null,
  };
  return validated(NewWebhook, said, LABELS);
}
