/** Sends signed requests to S3, with timeout, retries and backoff. */
import { setTimeout as pause } from "node:timers/promises";
import { AwsV4Signer } from "aws4fetch";
import { KernelBotError } from "@kernelbot/core";
import { backoffMs } from "../../jobs/backoff.ts";
import type { S3Options } from "./options.ts";

export interface RetryPolicy {
  /** Maximum number of tries. */
  tries: number;
  /** Delay before the first retry in milliseconds; doubled for each further one. */
  pauseMs: number;
  /** Timeout of a response in milliseconds, in addition to the time for its bytes. */
  answerMs: number;
}

export const RETRY_POLICY: RetryPolicy = { tries: 4, pauseMs: 250, answerMs: 20_000 };

/** Slowest accepted transfer rate, in bytes per millisecond. */
const SLOWEST = 128;

interface S3Request {
  method: "GET" | "HEAD" | "POST" | "PUT" | "DELETE";
  /** Object name without the prefix, in unreserved characters and slashes; null for the bucket itself. */
  name: string | null;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  /** Body of a PUT or POST and its SHA-256, which the service verifies. */
  body?: { bytes: Blob; sha256: string };
  /** Number of bytes transferred, for the timeout. */
  sizeBytes?: number;
}

const SHA256_OF_NOTHING = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/**
 * Sends a request until the response is 2xx or 404.
 * @throws KernelBotError `unavailable`, with the last response of the service as its cause.
 */
export async function requestWithRetries(
  options: S3Options,
  request: S3Request,
  patience: RetryPolicy,
): Promise<Response> {
  for (let tries = 1; ; tries += 1) {
    const outcome = await sendRequest(options, request, patience);
    // Not `instanceof Response`: the HTTP library replaces the global class.
    if (!(outcome instanceof Error) && (outcome.ok || outcome.status === 404)) return outcome;
    const fault = outcome instanceof Error ? outcome : await refusalOf(outcome);
    const mayPass = outcome instanceof Error || isTransient(outcome.status, fault.message);
    if (!mayPass || tries === patience.tries) throw unavailable(request, fault, mayPass);
    await pause(backoffMs({ firstMs: patience.pauseMs, maxMs: Infinity }, tries));
  }
}

async function sendRequest(
  options: S3Options,
  request: S3Request,
  { answerMs }: RetryPolicy,
): Promise<Response | Error> {
  const { accessKeyId, secretAccessKey, sessionToken, region, bucketUrl } = options;
  const { method, name, query = {}, body, sizeBytes = 0, headers = {} } = request;
  const search = new URLSearchParams(query);
  // Signed again for each try, because a signature is valid for 15 minutes.
  const signer = new AwsV4Signer({
    method,
    url: `${bucketUrl}/${name === null ? "" : options.prefix + name}${search.size > 0 ? `?${search}` : ""}`,
    headers: { ...headers, "x-amz-content-sha256": body?.sha256 ?? SHA256_OF_NOTHING },
    accessKeyId,
    secretAccessKey: secretAccessKey.reveal(),
    ...(sessionToken !== undefined && { sessionToken: sessionToken.reveal() }),
    service: "s3",
    region,
  });
  try {
    const signed = await signer.sign();
    return await fetch(signed.url, {
      method,
      headers: signed.headers,
      body: body?.bytes ?? null,
      redirect: "manual",
      signal: AbortSignal.timeout(answerMs + Math.ceil(sizeBytes / SLOWEST)),
    });
  } catch (error) {
    const { message, cause } = error as Error;
    return new Error(cause instanceof Error ? cause.message : message);
  }
}

/**
 * Returns an error with the service's code and message from its XML, such as `AccessDenied: ...`. Responses to HEAD
 * have no body.
 */
async function refusalOf(response: Response): Promise<Error> {
  const text = (await response.text().catch(() => "")).slice(0, 10_000);
  const details = ["Code", "Message"].flatMap((name) => elementsOf(text, name)).join(": ");
  return new Error(`status ${response.status}${details === "" ? "" : `, ${details}`}`);
}

/** Returns the texts of all elements of a name in a response, with XML's five entities decoded. */
export function elementsOf(xml: string, name: string): string[] {
  return Array.from(xml.matchAll(new RegExp(`<${name}>([^<]{0,4000})</${name}>`, "g")), ([, text = ""]) =>
    text.replace(/&(lt|gt|quot|apos|amp);/g, (_, entity: keyof typeof ENTITIES) => ENTITIES[entity]),
  );
}

const ENTITIES = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };

function isTransient(status: number, details: string): boolean {
  return status === 408 || status === 429 || status >= 500 || details.includes("RequestTimeout");
}

function unavailable({ method, name }: S3Request, cause: Error, mayPass: boolean): KernelBotError {
  const what = mayPass ? "is not responding" : "rejected the request of this server";
  return new KernelBotError("unavailable", `the object store ${what}; try again in a moment`, {
    cause: new Error(`${method} ${name ?? "bucket"}: ${cause.message}`),
  });
}

/** Requires a response other than 404, which a write receives when its bucket is missing. */
export async function requireBucket(response: Response): Promise<void> {
  await discard(response);
  if (response.ok) return;
  throw new KernelBotError("unavailable", "the object store bucket does not exist; the operator must create it");
}

/** Cancels the body of a response, which would otherwise keep its connection. */
export async function discard(response: Response): Promise<void> {
  await response.body?.cancel();
}
