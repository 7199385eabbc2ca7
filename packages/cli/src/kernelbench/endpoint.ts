/** Endpoint of a model: address, key and errors. */
import { UsageError } from "../command/exit.ts";
import { sanitize, oneLine } from "../output/text.ts";

/** Shorter keys are not secrets and could occur in code by coincidence. */
const MIN_KEY_CHARACTERS = 16;

export interface Endpoint {
  /** Address of the API, such as `https://api.example.org/v1`. */
  url: URL;
  key: string | undefined;
  /** Timeout of one answer, in milliseconds. */
  timeoutMs: number;
}

/** The endpoint did not answer the question. */
export class EndpointError extends Error {
  override readonly name = "EndpointError";
  /** HTTP status; null without a response. */
  readonly status: number | null;
  /** Delay that the endpoint requests before a retry; null if it gives none. */
  readonly retryAfterMs: number | null;

  constructor(message: string, status: number | null, retryAfterMs: number | null = null, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }

  /** Whether the failure is temporary, so that a retry may succeed. */
  get passing(): boolean {
    return this.status === null || this.status === 408 || this.status === 429 || this.status >= 500;
  }
}

/** Parses an endpoint's address. @throws UsageError when it is invalid. */
export function endpointUrl(text: string): URL {
  const url = URL.parse(text);
  if (url === null || !["http:", "https:"].includes(url.protocol)) {
    throw new UsageError(
      `${JSON.stringify(text)} is not a valid endpoint; use an address such as https://api.example.org/v1`,
    );
  }
  if (url.username !== "" || url.password !== "") {
    throw new UsageError(
      "--endpoint must not contain a user name or password; name the variable with the key by --key-env",
    );
  }
  return url;
}

/** Returns the endpoint's address without its query, which may contain a key, for display and storage. */
export function endpointName({ origin, pathname }: URL): string {
  return `${origin}${pathname.replace(/\/+$/, "")}`;
}

/** Replaces the key in a response, since an endpoint may send it back. */
export function redactKey(text: string, key: string | undefined): string {
  return key === undefined || key.length < MIN_KEY_CHARACTERS ? text : text.replaceAll(key, "[key]");
}

/** Returns an endpoint's message as one printable line without the key. */
export function endpointMessage(text: string, key: string | undefined): string {
  return oneLine(sanitize(redactKey(text, key).slice(0, 1000))).slice(0, 300);
}
