/** Webhooks of an account: creation, list and delivery log. */
import {
  WEBHOOK_EVENTS,
  type Competition,
  type CreatedWebhook,
  type Webhook,
  type WebhookDelivery,
  type WebhookEvent,
} from "@kernelbot/core";
import { accountFrame } from "./frame.ts";
import { button, option, checkbox } from "../layout/forms.ts";
import { html, type Html } from "../html.ts";
import type { SignedVisit } from "../layout/page-context.ts";
import { moment } from "../layout/format.ts";
import { fact, hiddenHeading, table } from "../layout/table.ts";

interface WebhookFields {
  url: string;
  events: readonly string[];
  /** `BOARD/TARGET`, one per line. */
  boards: string;
  competition: string;
}

export const NEW_WEBHOOK: WebhookFields = { url: "", events: ["submission.finished"], boards: "", competition: "" };

interface WebhooksPage {
  visit: SignedVisit;
  webhooks: readonly Webhook[];
  fields: WebhookFields;
  /** Competitions that the viewer organises. */
  competitions: readonly Competition[];
  /** Newly created webhook with its secret, shown only once. */
  made?: CreatedWebhook | undefined;
  problem?: string | undefined;
}

const EVENT_LABELS: Readonly<Record<WebhookEvent, string>> = {
  "submission.finished": "submission finished",
  "board.rank_changed": "ranks changed",
};

export function webhooksPage(shown: WebhooksPage): Promise<string> {
  const { visit, webhooks, made, problem } = shown;
  return accountFrame({
    visit,
    title: "Webhooks",
    problem,
    body: html`
      <p>
        KernelBot sends a signed HTTP POST to your URL when an event happens, retries failed deliveries and keeps a log.
      </p>
      ${made === undefined ? null : madeSecret(made)}
      ${webhooks.length === 0 ? html`<p class="empty">No webhooks yet.</p>` : webhookTable(webhooks)} ${form(shown)}
    `,
  });
}

function madeSecret({ webhook, secret }: CreatedWebhook): Html {
  return html`<section class="created" role="status" aria-label="New secret">
    <p>
      <strong>The secret of <a href="/account/webhooks/${webhook.id}">webhook ${webhook.id}</a></strong> is shown only
      once. The receiver uses it to verify that a delivery comes from this server.
    </p>
    <pre><code id="made-secret">${secret}</code></pre>
    <button type="button" class="quiet needs-script" data-copy="made-secret">Copy</button>
  </section>`;
}

const TONES: Readonly<Record<Webhook["state"] | WebhookDelivery["state"], string>> = {
  active: "good",
  failing: "bad",
  paused: "care",
  pending: "care",
  delivered: "good",
  failed: "bad",
};

function badge(state: keyof typeof TONES): Html {
  return html`<span class="badge ${TONES[state]}">${state}</span>`;
}

function webhookTable(webhooks: readonly Webhook[]): Html {
  return table({
    className: "stacked-rows",
    columns: ["URL", "Events", "Status"],
    rows: webhooks.map(
      (webhook) =>
        html`<tr>
          <th scope="row"><a href="/account/webhooks/${webhook.id}">${webhook.url}</a></th>
          <td>
            ${webhook.events.map((event) => html`<span class="block">${EVENT_LABELS[event]}</span>`)} ${scope(webhook)}
          </td>
          <td>${badge(webhook.state)}</td>
        </tr>`,
    ),
  });
}

/** Renders the competition and boards whose events the webhook receives; null if only those of its owner. */
function scope({ boards, competition }: Webhook): Html | null {
  const parts = [
    ...(competition === null ? [] : [`all of ${competition}`]),
    ...boards.map(({ board, target }) => `${board} on ${target}`),
  ];
  return parts.length === 0 ? null : html`<small class="block">also ${parts.join(", ")}</small>`;
}

function form({ fields, competitions }: WebhooksPage): Html {
  return html`<h2 id="new">New webhook</h2>
    <form method="post" action="/account/webhooks" class="stack">
      <label for="url">URL</label>
      <input
        id="url"
        name="url"
        type="url"
        required
        maxlength="2000"
        value="${fields.url}"
        placeholder="https://example.org/hook"
        autocomplete="off"
      />
      <fieldset>
        <legend>Events</legend>
        ${WEBHOOK_EVENTS.map((event) => {
          const label = html`${EVENT_LABELS[event]} <small>${event}</small>`;
          return checkbox("event", event, fields.events.includes(event), label);
        })}
      </fieldset>
      <label for="boards">Leaderboards to watch in addition to your own entries: BOARD/TARGET, one per line</label>
      <textarea id="boards" name="boards" rows="3" placeholder="vectoradd/cpu">${fields.boards}</textarea>
      ${
        competitions.length === 0
          ? null
          : html`<label for="competition">All events of a competition that you organise</label>
              <select id="competition" name="competition">
                <option value="">None</option>
                ${competitions.map(({ name, title }) => option(name, fields.competition, title))}
              </select>`
      }
      <div><button>Create webhook</button></div>
    </form>`;
}

interface WebhookPage {
  visit: SignedVisit;
  webhook: Webhook;
  deliveries: readonly WebhookDelivery[];
  /** Whether older deliveries exist. */
  more: boolean;
  problem?: string | undefined;
}

/** Renders one webhook with its delivery log. */
export function webhookPage({ visit, webhook, deliveries, more, problem }: WebhookPage): Promise<string> {
  const at = `/account/webhooks/${webhook.id}`;
  return accountFrame({
    visit,
    title: `Webhook ${webhook.id}`,
    problem,
    body: html`
      <dl class="facts">
        ${fact("URL", html`<code>${webhook.url}</code>`)}
        ${fact("Events", html`${webhook.events.map((event) => EVENT_LABELS[event]).join(", ")} ${scope(webhook)}`)}
        ${fact(
          "Status",
          html`${badge(webhook.state)}
          ${
            webhook.pauseReason ??
            (webhook.failures === 0
              ? null
              : `${webhook.failures} consecutive failed ${webhook.failures === 1 ? "attempt" : "attempts"}`)
          }`,
        )}
        ${fact("Created", moment(webhook.createdAt))}
      </dl>
      <div class="buttons">
        ${
          webhook.state === "paused"
            ? button(`${at}/resume`, "Resume")
            : html`${button(`${at}/test`, "Send test event")} ${button(`${at}/pause`, "Pause", {}, true)}`
        }
      </div>
      <h2 id="log">Deliveries</h2>
      ${deliveries.length === 0 ? html`<p class="empty">No deliveries yet. Send a test event to check the URL.</p>` : log(deliveries, webhook)}
      ${more ? html`<p><a href="${at}?before=${deliveries.at(-1)?.sequence}#log" rel="next">Older deliveries</a></p>` : null}
      <h2 id="delete">Delete</h2>
      <details>
        <summary>Delete this webhook and its log</summary>
        <form method="post" action="${at}/delete" class="stack">
          <p>No further events are sent, including queued deliveries.</p>
          <div><button class="danger">Delete webhook ${webhook.id}</button></div>
        </form>
      </details>
    `,
  });
}

function log(deliveries: readonly WebhookDelivery[], webhook: Webhook): Html {
  return table({
    className: "stacked-rows",
    columns: ["Delivery", "Status", "Last attempt", hiddenHeading("Redeliver")],
    rows: deliveries.map((delivery) => logRow(delivery, webhook)),
  });
}

function logRow(
  { id, sequence, event, state, createdAt, tries, nextTryAt, lastTry }: WebhookDelivery,
  webhook: Webhook,
): Html {
  return html`<tr>
    <th scope="row">
      <span class="number">${sequence}</span> ${event} <small class="block">${moment(createdAt)}</small>
    </th>
    <td>
      ${badge(state)}
      <small class="block"
        >${tries === 1 ? "1 attempt" : `${tries} attempts`}${
          nextTryAt === null ? null : html`, next ${moment(nextTryAt)}`
        }</small
      >
    </td>
    <td>
      ${
        lastTry === null
          ? html`<span class="quiet">none yet</span>`
          : html`${lastTry.status === null ? null : html`HTTP ${lastTry.status}`} ${lastTry.error}
              <small class="block">${moment(lastTry.at)}</small>
              ${
                lastTry.answer === null || lastTry.answer === ""
                  ? null
                  : html`<details>
                      <summary>Response body</summary>
                      <pre tabindex="0"><code>${lastTry.answer}</code></pre>
                    </details>`
              }`
      }
    </td>
    <td class="right">
      ${
        webhook.state === "paused"
          ? null
          : button(
              `/account/webhooks/${webhook.id}/deliveries/${id}/redeliver`,
              html`Send again<span class="visually-hidden"> delivery ${sequence}</span>`,
              {},
              true,
            )
      }
    </td>
  </tr>`;
}
