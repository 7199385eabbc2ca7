/**
 * Webhooks: what is told to an address when something happens, and how the receiver knows that it is true. Headers and
 * signature are those of Standard Webhooks (https://www.standardwebhooks.com).
 *
 *     const event = await verifyWebhook(secret, request.headers, await request.text());
 */
import { z } from "zod";
import { AccountName } from "./board.ts";
import { CompetitionName } from "./competition.ts";
import { KernelBotError } from "./errors.ts";
import { ProblemName, TargetName } from "./problem-spec.ts";
import { FailureClass, Mode, RunState, Verdict } from "./words.ts";

export const WEBHOOK_EVENTS = ["submission.finished", "board.rank_changed"] as const;
export const WebhookEvent = z.enum(WEBHOOK_EVENTS);
export type WebhookEvent = z.infer<typeof WebhookEvent>;

/** How many of the first rows of a board are told of. */
export const TOLD_ROWS = 10;

export const BoardAddress = z.strictObject({ board: ProblemName, target: TargetName });
export type BoardAddress = z.infer<typeof BoardAddress>;

/** What an account asks for. */
export const NewWebhook = z
  .strictObject({
    url: z.url({ protocol: /^https?$/, error: "use an address such as https://example.org/hook" }).max(2000),
    events: z.array(WebhookEvent).min(1, "name an event").max(WEBHOOK_EVENTS.length, "name each event once"),
    /** Boards whose first rows are told of, besides the account's own rows on any board. */
    boards: z.array(BoardAddress).max(100, "name at most 100 boards").default([]),
    /** For its organisers: every submission in it, and the first rows of all its boards. */
    competition: CompetitionName.nullable().default(null),
  })
  .refine(({ boards, events }) => boards.length === 0 || events.includes("board.rank_changed"), {
    path: ["boards"],
    message: "boards are for the event board.rank_changed; name it too",
  });
export type NewWebhook = z.infer<typeof NewWebhook>;

/** `failing`: its last tries failed, and it is tried less often. `paused`: by its owner, or after too many of them. */
export const WebhookState = z.enum(["active", "failing", "paused"]);

export const Webhook = z.object({
  id: z.int(),
  url: z.string(),
  events: z.array(WebhookEvent),
  boards: z.array(BoardAddress),
  competition: CompetitionName.nullable(),
  state: WebhookState,
  /** Why it is paused; null where it is not. */
  pauseReason: z.string().nullable(),
  /** Tries that failed in a row. */
  failures: z.int(),
  createdAt: z.iso.datetime(),
});
export type Webhook = z.infer<typeof Webhook>;

export const WebhookList = z.object({ webhooks: z.array(Webhook) });

/** The answer to its creation, and the only one that has the secret. */
export const CreatedWebhook = z.object({ webhook: Webhook, secret: z.string() });
export type CreatedWebhook = z.infer<typeof CreatedWebhook>;

export const WebhookDelivery = z.object({
  /** What the header `webhook-id` says. */
  id: z.string(),
  /** Counts the deliveries of a webhook from 1. */
  sequence: z.int(),
  event: z.string(),
  state: z.enum(["pending", "delivered", "failed"]),
  createdAt: z.iso.datetime(),
  tries: z.int(),
  /** Null unless pending. */
  nextTryAt: z.iso.datetime().nullable(),
  /** What came of the latest try; null before the first. */
  lastTry: z
    .object({
      at: z.iso.datetime(),
      /** The HTTP status, and the head of the body; null where nothing was answered. */
      status: z.int().nullable(),
      answer: z.string().nullable(),
      /** Why it failed; null where it did not. */
      error: z.string().nullable(),
    })
    .nullable(),
});
export type WebhookDelivery = z.infer<typeof WebhookDelivery>;

export const WebhookDeliveryList = z.object({ deliveries: z.array(WebhookDelivery) });

/** All runs of a submission have ended. */
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

/** One row of a board that rose, fell, came or went. */
export const RankChange = z.object({
  /** Whose row it is; the id of a team is `team:` and its number. */
  account: AccountName,
  /** Null where the row was not among those that the webhook is told of. */
  oldRank: z.int().nullable(),
  /** Null where the account stands on the board no more. */
  newRank: z.int().nullable(),
  /** What it stands by now; null with `newRank`. */
  submissionId: z.int().nullable(),
  timeNs: z.number().nullable(),
});
export type RankChange = z.infer<typeof RankChange>;

export const RankChanged = z.object({ board: ProblemName, target: TargetName, changes: z.array(RankChange) });
export type RankChanged = z.infer<typeof RankChanged>;

const head = { sequence: z.int(), timestamp: z.iso.datetime() };

/** What is sent, as JSON. `timestamp`: when it happened. */
export const WebhookPayload = z.discriminatedUnion("type", [
  z.object({ type: z.literal("submission.finished"), ...head, data: SubmissionFinished }),
  z.object({ type: z.literal("board.rank_changed"), ...head, data: RankChanged }),
  z.object({ type: z.literal("webhook.test"), ...head, data: z.object({ webhookId: z.int() }) }),
]);
export type WebhookPayload = z.infer<typeof WebhookPayload>;

/** How far the clocks of server and receiver may be apart, in seconds: an older message may be a copy. */
const TOLERANCE_S = 300;

const PREFIX = "whsec_";

/** The text of a secret from its random bytes. */
export function webhookSecret(bytes: Uint8Array): string {
  return `${PREFIX}${toBase64(bytes)}`;
}

/** The headers that go with a body. @param at When it is sent; a copy is refused after a while. */
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
 * What a request to a webhook says, once its signature holds. The same delivery may come more than once: drop those whose
 * header `webhook-id` you know.
 * @param body The body as it came, before any parser.
 * @throws KernelBotError `unauthorized` where it was not signed by this secret, or too long ago.
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
  return new KernelBotError("unauthorized", `the webhook is not taken: ${why}`);
}
