/** One request to S3 and its repetitions: signed, bounded in time, and tried again while the service is busy or away. */
import { setTimeout as pause } from "node:timers/promises";
import { AwsV4Signer } from "aws4fetch";
import { KernelBotError } from "@kernelbot/core";
import type { S3Options } from "./options.ts";

export interface Patience {
  /** Times that a request is sent at most. */
  tries: number;
  /** Before it is sent again for the first time; twice as long before each further time; ms. */
  pauseMs: number;
  /** How long an answer may take, besides the time for its bytes; ms. */
  answerMs: number;
}

export const PATIENCE: Patience = { tries: 4, pauseMs: 250, answerMs: 20_000 };

/** The slowest connection that is waited for, in bytes a millisecond. */
const SLOWEST = 128;

export interface S3Request {
  method: "GET" | "HEAD" | "PUT" | "DELETE";
  /** The name of the object without the prefix. */
  name: string;
  headers?: Record<string, string>;
  /** The body of a PUT, with its SHA-256, which the service checks. */
  body?: { bytes: Blob; sha256: string };
  /** How many bytes come or go. */
  sizeBytes?: number;
}

const SHA256_OF_NOTHING = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/**
 * Asks until there is an answer: 2xx, or 404.
 * @throws KernelBotError `unavailable`. Its cause is for the operator: what the service said last.
 */
export async function ask(options: S3Options, request: S3Request, patience: Patience): Promise<Response> {
  for (let tries = 1; ; tries += 1) {
    const outcome = await once(options, request, patience);
    // Not `instanceof Response`: what serves HTTP has put a class of its own in that one's place.
    if (!(outcome instanceof Error) && (outcome.ok || outcome.status === 404)) return outcome;
    const fault = outcome instanceof Error ? outcome : await refusalOf(outcome);
    const mayPass = outcome instanceof Error || isPassing(outcome.status, fault.message);
    if (!mayPass || tries === patience.tries) throw unavailable(request, fault, mayPass);
    await pause(patience.pauseMs * 2 ** (tries - 1) * (0.5 + Math.random() / 2));
  }
}

async function once(options: S3Options, request: S3Request, { answerMs }: Patience): Promise<Response | Error> {
  const { accessKeyId, secretAccessKey, sessionToken, region, bucketUrl } = options;
  const { method, name, body, sizeBytes = 0, headers = {} } = request;
  // Signed anew each time: a signature is good for a quarter of an hour.
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

/** What the service says of a refusal, from its XML: `AccessDenied: ...`. A HEAD has no body, and so no words. */
async function refusalOf(response: Response): Promise<Error> {
  const text = (await response.text().catch(() => "")).slice(0, 10_000);
  const word = (name: string) => new RegExp(`<${name}>([^<]{1,300})</${name}>`).exec(text)?.[1];
  const said = [word("Code"), word("Message")].filter((part) => part !== undefined).join(": ");
  return new Error(`status ${response.status}${said === "" ? "" : `, ${said}`}`);
}

function isPassing(status: number, said: string): boolean {
  return status === 408 || status === 429 || status >= 500 || said.includes("RequestTimeout");
}

function unavailable({ method, name }: S3Request, cause: Error, mayPass: boolean): KernelBotError {
  const what = mayPass ? "does not answer" : "refuses what this server asks of it";
  return new KernelBotError("unavailable", `the object store ${what}; try again in a moment`, {
    cause: new Error(`${method} ${name}: ${cause.message}`),
  });
}
