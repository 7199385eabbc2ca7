/** The pages of an account's own webhooks. */
import { Id, wholeNumber } from "@kernelbot/api";
import { NewWebhook, type CreatedWebhook } from "@kernelbot/core";
import { NEW_WEBHOOK, webhookPage, webhooksPage } from "@kernelbot/web";
import { z } from "zod";
import { listOrganised } from "../../competitions/competitions.ts";
import { hasRole, type Identity } from "../../auth/identity.ts";
import type { Database } from "../../db/database.ts";
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
import { validated } from "../../http/input.ts";
import { form, page, type PageCall, type PageRoute } from "../../http/page.ts";

/** Deliveries per page of the log. */
const PAGE = 50;

/** Labels of the form's fields. */
const LABELS = { url: "address", events: "events", boards: "boards", competition: "competition" };

const list = page({ path: "/account/webhooks", access: "signed-in", handle: (call) => renderList(call) });

async function renderList(call: PageCall, made?: CreatedWebhook): Promise<string> {
  const { services, identity, visit, rejected } = call;
  const text = (field: string): string => rejected?.typed.get(field) ?? "";
  const typed = { url: text("url"), boards: text("boards"), competition: text("competition") };
  return webhooksPage({
    visit,
    webhooks: await listWebhooks(services.database, identity),
    fields: rejected === undefined ? NEW_WEBHOOK : { ...typed, events: rejected.typed.getAll("event") },
    competitions: await listOwnCompetitions(services.database, identity),
    made,
    problem: rejected?.problem,
  });
}

/** Returns the competitions that the account itself organises; an administrator is not offered the others. */
async function listOwnCompetitions(database: Database, identity: Identity) {
  if (!hasRole(identity, "organiser")) return [];
  const all = await listOrganised(database, identity);
  return all.filter(({ organisers }) => organisers.some(({ id }) => id === identity.account.id));
}

const webhook = page({
  path: "/account/webhooks/:id{[0-9]+}",
  access: "signed-in",
  params: Id,
  query: z.object({ before: wholeNumber(1, Number.MAX_SAFE_INTEGER).optional() }),
  async handle({ services: { database }, identity, params: { id }, query: { before }, visit, rejected }) {
    const found = (await listWebhooks(database, identity)).find((each) => each.id === id);
    if (found === undefined) throw noWebhook(id);
    const deliveries = await listDeliveries(database, identity, id, { before, limit: PAGE + 1 });
    return webhookPage({
      visit,
      webhook: found,
      deliveries: deliveries.slice(0, PAGE),
      more: deliveries.length > PAGE,
      problem: rejected?.problem,
    });
  },
});

const ACTIONS = { test: testWebhook, pause: pauseWebhook, resume: resumeWebhook };

export const webhookPages: readonly PageRoute[] = [
  list,

  form({
    path: "/account/webhooks",
    on: list,
    async handle(call) {
      const { c, services, identity } = call;
      const request = requestOf(new URLSearchParams(await c.req.text()));
      const options = { allowPrivate: services.privateWebhooks };
      return c.html(await renderList(call, await createWebhook(services.database, identity, request, options)));
    },
  }),

  webhook,

  ...Object.entries(ACTIONS).map(([action, perform]) =>
    form({
      path: `/account/webhooks/:id{[0-9]+}/${action}`,
      on: webhook,
      params: Id,
      handle: ({ services, identity, params: { id } }) => perform(services.database, identity, id),
      redirectTo: ({ params: { id } }) => `/account/webhooks/${id}#log`,
    }),
  ),

  form({
    path: "/account/webhooks/:id{[0-9]+}/deliveries/:delivery{msg_[0-9a-f]+}/redeliver",
    on: webhook,
    params: Id.extend({ delivery: z.string() }),
    handle: ({ services, identity, params: { id, delivery } }) => redeliver(services.database, identity, id, delivery),
    redirectTo: ({ params: { id } }) => `/account/webhooks/${id}#log`,
  }),

  form({
    path: "/account/webhooks/:id{[0-9]+}/delete",
    on: webhook,
    params: Id,
    handle: ({ services, identity, params: { id } }) => deleteWebhook(services.database, identity, id),
    redirectTo: () => "/account/webhooks",
  }),
];

/**
 * Returns the webhook of the form's input.
 * @throws KernelBotError `unprocessable` that names the field.
 */
function requestOf(typed: URLSearchParams): NewWebhook {
  const lines = (typed.get("boards") ?? "").split(/\s+/).filter((line) => line !== "");
  const fields = {
    url: typed.get("url"),
    events: typed.getAll("event"),
    boards: lines.map((line) => {
      const [board = "", ...target] = line.split("/");
      return { board, target: target.join("/") };
    }),
    competition: typed.get("competition") || null,
  };
  return validated(NewWebhook, fields, LABELS);
}
