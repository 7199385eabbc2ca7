/** An endpoint of a model's API: its address, its key, and how it fails. */
import type { IncomingHttpHeaders } from "node:http";
import { UsageError } from "../exit.ts";
import { cleaned, oneLine } from "../text.ts";

/** A key of fewer characters is no secret, and may stand in code for another reason. */
const MIN_KEY_CHARACTERS = 16;

export interface Access {
  /** Of its API, such as `https://api.example.org/v1`; null for the one that an SDK knows. */
  url: URL | null;
  key: string | undefined;
  /** The longest that an answer may take, in milliseconds. */
  timeoutMs: number;
}

export interface Endpoint extends Access {
  url: URL;
}

/** The endpoint did not answer the question. */
export class EndpointError extends Error {
  override readonly name = "EndpointError";
  /** Null where there was no answer at all. */
  readonly status: number | null;
  /** How long the endpoint asks us to wait; null where it does not say. */
  readonly retryAfterMs: number | null;

  constructor(message: string, status: number | null, retryAfterMs: number | null = null, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }

  /** Whether the same question may be answered later. */
  get passing(): boolean {
    return this.status === null || this.status === 408 || this.status === 429 || this.status >= 500;
  }
}

/** @throws UsageError for what is no address of an endpoint. */
export function endpointUrl(text: string): URL {
  const url = URL.parse(text);
  if (url === null || !["http:", "https:"].includes(url.protocol)) {
    throw new UsageError(`${JSON.stringify(text)} is no endpoint; one looks like https://api.example.org/v1`);
  }
  if (url.username !== "" || url.password !== "") {
    throw new UsageError("an endpoint has no user or password in it; name the variable with the key: --key-env");
  }
  return url;
}

/** An endpoint as it may be shown and stored: a query can hold a key. */
export function endpointName({ origin, pathname }: URL): string {
  return `${origin}${pathname.replace(/\/+$/, "")}`;
}

/** What came, without our key: an endpoint may send it back. */
export function hidden(text: string, key: string | undefined): string {
  return key === undefined || key.length < MIN_KEY_CHARACTERS ? text : text.replaceAll(key, "[key]");
}

/** What an endpoint says, as a line that can be shown. */
export function endpointWords(text: string, key: string | undefined): string {
  return oneLine(cleaned(hidden(text, key).slice(0, 1000))).slice(0, 300);
}

/** `Retry-After` (RFC 9110), in seconds or as a date, in milliseconds from now. */
export function retryAfter(
  { "retry-after": value }: Pick<IncomingHttpHeaders, "retry-after">,
  nowMs = Date.now(),
): number | null {
  if (value === undefined) return null;
  const ms = /^\d+(\.\d+)?$/.test(value) ? Number(value) * 1000 : Date.parse(value) - nowMs;
  return Number.isFinite(ms) ? Math.max(0, ms) : null;
}
