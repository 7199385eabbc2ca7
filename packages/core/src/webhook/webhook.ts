/**
 * Webhooks: signed HTTP notifications of events, and their verification. Headers and signature follow Standard
 * Webhooks (https://www.standardwebhooks.com).
 *
 *     const event = await verifyWebhook(secret, request.headers, await request.text());
 */
import { z } from "zod";
import { AccountName } from "../vocabulary/entrant.ts";
import { CompetitionName } from "../competition/competition.ts";
import { KernelBotError } from "../errors.ts";
import { ProblemName, TargetName } from "../vocabulary/specification.ts";
import { FailureClass, Mode, RunState, Verdict } from "../vocabulary/states.ts";

export const WEBHOOK_EVENTS = ["submission.finished", "board.rank_changed"] as const;
export const WebhookEvent = z.enum(WEBHOOK_EVENTS);
export type WebhookEvent = z.infer<typeof WebhookEvent>;

/** Number of top rows of a board whose changes are sent. */
export const WEBHOOK_RANKS = 10;

export const BoardAddress = z.strictObject({ board: ProblemName, target: TargetName });
export type BoardAddress = z.infer<typeof BoardAddress>;

/** Request to create a webhook. */
export const NewWebhook = z
  .strictObject({
    url: z.url({ protocol: /^https?$/, error: "use an address such as https://example.org/hook" }).max(2000),
    events: z.array(WebhookEvent).min(1, "name an event").max(WEBHOOK_EVENTS.length, "name each event once"),
    /** Boards whose top rows are watched, in addition to the account's own rows on every board. */
    boards: z.array(BoardAddress).max(100, "name at most 100 boards").default([]),
    /** Competition to watch: all of its submissions and the top rows of its boards. Only for its organisers. */
    competition: CompetitionName.nullable().default(null),
  })
  .refine(({ boards, events }) => boards.length === 0 || events.includes("board.rank_changed"), {
    path: ["boards"],
    message: "boards are for the event board.rank_changed; name it too",
  });
export type NewWebhook = z.infer<typeof NewWebhook>;

/**
 * `failing`: the latest deliveries failed, so tries are less frequent. `paused`: by its owner, or after too many
 * failures.
 */
export const WebhookState = z.enum(["active", "failing", "paused"]);

export const Webhook = z.object({
  id: z.int(),
  url: z.string(),
  events: z.array(WebhookEvent),
  boards: z.array(BoardAddress),
  competition: CompetitionName.nullable(),
  state: WebhookState,
  /** Why the webhook is paused; null if it is not. */
  pauseReason: z.string().nullable(),
  /** Number of consecutive failed tries. */
  failures: z.int(),
  createdAt: z.iso.datetime(),
});
export type Webhook = z.infer<typeof Webhook>;

export const WebhookList = z.object({ webhooks: z.array(Webhook) });

/** Response to the creation of a webhook, and the only one that contains the secret. */
export const CreatedWebhook = z.object({ webhook: Webhook, secret: z.string() });
export type CreatedWebhook = z.infer<typeof CreatedWebhook>;

export const WebhookDelivery = z.object({
  /** Value of the header `webhook-id`. */
  id: z.string(),
  /** Number of the delivery among those of its webhook, from 1. */
  sequence: z.int(),
  event: z.string(),
  state: z.enum(["pending", "delivered", "failed"]),
  createdAt: z.iso.datetime(),
  tries: z.int(),
  /** Null unless the delivery is pending. */
  nextTryAt: z.iso.datetime().nullable(),
  /** Result of the latest try; null before the first. */
  lastTry: z
    .object({
      at: z.iso.datetime(),
      /** HTTP status, and the start of the response body; null if there was no response. */
      status: z.int().nullable(),
      answer: z.string().nullable(),
      /** Why the try failed; null if it succeeded. */
      error: z.string().nullable(),
    })
    .nullable(),
});
export type WebhookDelivery = z.infer<typeof WebhookDelivery>;

export const WebhookDeliveryList = z.object({ deliveries: z.array(WebhookDelivery) });

/** Event data: every run of a submission has ended. */
export const SubmissionFinished = z.object({
  submissionId: z.int(),
  account: AccountName,
  board: ProblemName,
  mode: Mode,
  runs: z.array(
    z.object({
      runId: z.int(),
      target: TargetName,
      state: RunState,
      verdict: Verdict.nullable(),
      failureClass: FailureClass.nullable(),
      timeNs: z.number().nullable(),
    }),
  ),
});
export type SubmissionFinished = z.infer<typeof SubmissionFinished>;

/** Change of one row of a board. */
export const RankChange = z.object({
  /** Owner of the row; a team has the id `team:` and its number. */
  account: AccountName,
  /** Null if the row was not among the watched rows before. */
  oldRank: z.int().nullable(),
  /** Null if the account no longer has a row on the board. */
  newRank: z.int().nullable(),
  /** Submission of the row now; null if `newRank` is null. */
  submissionId: z.int().nullable(),
  timeNs: z.number().nullable(),
});
export type RankChange = z.infer<typeof RankChange>;

export const RankChanged = z.object({ board: ProblemName, target: TargetName, changes: z.array(RankChange) });
export type RankChanged = z.infer<typeof RankChanged>;

const head = { sequence: z.int(), timestamp: z.iso.datetime() };

/** JSON body of a delivery. `timestamp` is the time of the event. */
export const WebhookPayload = z.discriminatedUnion("type", [
  z.object({ type: z.literal("submission.finished"), ...head, data: SubmissionFinished }),
  z.object({ type: z.literal("board.rank_changed"), ...head, data: RankChanged }),
  z.object({ type: z.literal("webhook.test"), ...head, data: z.object({ webhookId: z.int() }) }),
]);
export type WebhookPayload = z.infer<typeof WebhookPayload>;

/** Maximum difference between the message's timestamp and the receiver's clock, in seconds; protects against replay. */
const TOLERANCE_S = 300;

const PREFIX = "whsec_";

/** Formats random bytes as the text of a secret. */
export function webhookSecret(bytes: Uint8Array): string {
  return `${PREFIX}${toBase64(bytes)}`;
}

/**
 * Returns the headers that sign a body.
 * @param at Time of sending; receivers reject messages that are too old.
 */
export async function webhookHeaders(secret: string, id: string, at: Date, body: string) {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const signature = await crypto.subtle.sign("HMAC", await keyOf(secret), signedBytes(id, timestamp, body));
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": `v1,${toBase64(new Uint8Array(signature))}`,
  };
}

/**
 * Verifies the signature of a webhook request and returns its parsed body. A delivery may arrive more than once: ignore
 * those whose `webhook-id` header was seen before.
 * @param body The unparsed body.
 * @throws KernelBotError `unauthorized` if the message is not signed with this secret, or is too old.
 */
export async function verifyWebhook(
  secret: string,
  headers: Pick<Headers, "get">,
  body: string,
  now = new Date(),
): Promise<WebhookPayload> {
  const [id, timestamp, signatures] = ["id", "timestamp", "signature"].map((name) => headers.get(`webhook-${name}`));
  if (!id || !timestamp || !signatures) throw refused("it lacks one of its three headers");
  if (!(Math.abs(now.getTime() / 1000 - Number(timestamp)) <= TOLERANCE_S)) {
    throw refused("it was sent too long ago, or the clocks differ");
  }
  const key = await keyOf(secret);
  const signed = signedBytes(id, timestamp, body);
  for (const signature of signatures.split(" ")) {
    const bytes = signature.startsWith("v1,") ? fromBase64(signature.slice(3)) : undefined;
    if (bytes !== undefined && (await crypto.subtle.verify("HMAC", key, bytes, signed))) {
      return WebhookPayload.parse(JSON.parse(body));
    }
  }
  throw refused("it is not signed with this secret");
}

function keyOf(secret: string): Promise<CryptoKey> {
  const bytes = secret.startsWith(PREFIX) ? fromBase64(secret.slice(PREFIX.length)) : undefined;
  if (bytes === undefined) throw new KernelBotError("bad_request", "a secret of a webhook looks like whsec_…");
  return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign", "verify"]);
}

function signedBytes(id: string, timestamp: string, body: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`${id}.${timestamp}.${body}`);
}

function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function refused(why: string): KernelBotError {
  return new KernelBotError("unauthorized", `the webhook is rejected: ${why}`);
}
