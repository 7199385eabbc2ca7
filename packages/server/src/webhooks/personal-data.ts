/** What the tables of this folder store about a person. */
import { deleted, type PersonalTable } from "../db/personal-tables.ts";

const OWN_WEBHOOKS = "(select id from webhook where account_id = $1)";

/** In the order in which an erasure executes their statements. */
export const WEBHOOKS_TABLES: readonly PersonalTable[] = [
  deleted("webhook_delivery", "deliveries to the person's webhooks", {
    rows: `webhook_id in ${OWN_WEBHOOKS}`,
    how: "deleted with the webhook",
    erase: null,
  }),
  deleted("webhook_board", "ranks last sent to the person's webhooks", {
    rows: `webhook_id in ${OWN_WEBHOOKS}`,
    notExported: "state of the deliveries, which are exported",
    how: "deleted with the webhook; the name is replaced in ranks that were sent to webhooks of others",
    erase: `update webhook_board set sent_ranks = (
        select json_agg(case when r ->> 'id' = $1 then (r::jsonb || '{"name": "deleted"}')::json else r end)
        from json_array_elements(sent_ranks) as r)
      where sent_ranks::jsonb @> jsonb_build_array(jsonb_build_object('id', $1::text))`,
  }),
  deleted("webhook", "webhooks", { omit: ["secret"] }),
];
