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

export interface S3Request {
  method: "GET" | "HEAD" | "PUT" | "DELETE";
  /** Object name without the prefix. */
  name: string;
  headers?: Record<string, string>;
  /** Body of a PUT and its SHA-256, which the service verifies. */
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
  const { method, name, body, sizeBytes = 0, headers = {} } = request;
  // Signed again for each try, because a signature is valid for 15 minutes.
  const signer = new AwsV4Signer({
    method,
    url: `${bucketUrl}/${options.prefix}${name}`,
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
  const word = (name: string) => new RegExp(`<${name}>([^<]{1,300})</${name}>`).exec(text)?.[1];
  const details = [word("Code"), word("Message")].filter((part) => part !== undefined).join(": ");
  return new Error(`status ${response.status}${details === "" ? "" : `, ${details}`}`);
}

function isTransient(status: number, details: string): boolean {
  return status === 408 || status === 429 || status >= 500 || details.includes("RequestTimeout");
}

function unavailable({ method, name }: S3Request, cause: Error, mayPass: boolean): KernelBotError {
  const what = mayPass ? "is not responding" : "rejected the request of this server";
  return new KernelBotError("unavailable", `the object store ${what}; try again in a moment`, {
    cause: new Error(`${method} ${name}: ${cause.message}`),
  });
}
