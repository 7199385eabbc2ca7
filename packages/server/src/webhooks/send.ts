/** One try to send a delivery, or another request to a user's address: it follows no redirects and has a timeout. */
import { once } from "node:events";
import { Agent as HttpAgent, request as requestHttp, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { proxyEnvironment } from "@kernelbot/api/proxy";
import { parseWebhookUrl, guardedLookup, type AddressRules, type Resolver } from "./addresses.ts";

export interface SendOptions extends AddressRules {
  method?: "GET" | "POST";
  /** Maximum number of bytes of the response body that are read. */
  answerBytes?: number;
  /** Timeout of the whole try in milliseconds, from name resolution to the first bytes of the response body. */
  timeoutMs?: number;
  resolver?: Resolver | undefined;
  /** Environment that names a proxy; by default that of the process. */
  env?: NodeJS.ProcessEnv;
  /** Aborts the try when the server stops. */
  signal?: AbortSignal | undefined;
}

/** Outcome of a try. `error` is null if the receiver accepted the delivery. */
export interface Outcome {
  status: number | null;
  answer: string | null;
  error: string | null;
}

const TIMEOUT_MS = 10_000;

/** Number of bytes of a webhook's response that are stored. */
const ANSWER_BYTES = 1000;

/** Sends a body. Never throws: every failure is an outcome. */
export async function send(
  address: string,
  headers: Record<string, string>,
  body: string,
  {
    method = "POST",
    answerBytes = ANSWER_BYTES,
    timeoutMs = TIMEOUT_MS,
    resolver,
    signal,
    allowPrivate,
    env = process.env,
  }: SendOptions,
): Promise<Outcome> {
  const timeout = AbortSignal.timeout(timeoutMs);
  let status: number | null = null;
  try {
    // Checked again, because the rules may be stricter than at registration, and an IP literal needs no lookup.
    const url = parseWebhookUrl(address, { allowPrivate });
    const proxyEnv = proxyEnvironment(env);
    const rules = { allowPrivate };
    // A proxy resolves names by itself, and could be made to reach a private network. It is therefore given the address
    // that was checked, and the name only within TLS.
    const checked =
      proxyEnv === undefined || allowPrivate ? {} : await checkedTarget(url.hostname, guardedLookup(rules, resolver));
    const request = (url.protocol === "https:" ? requestHttps : requestHttp)(url, {
      method,
      headers: { ...headers, host: url.host, "content-length": Buffer.byteLength(body) },
      // A new connection: kept ones could have been opened under other rules.
      agent: proxyEnv === undefined ? false : new (url.protocol === "https:" ? HttpsAgent : HttpAgent)({ proxyEnv }),
      ...(proxyEnv === undefined ? { lookup: guardedLookup(rules, resolver) } : checked),
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    });
    request.end(body);
    const [response] = (await once(request, "response")) as [IncomingMessage];
    // Later errors are reported by reading the response.
    request.on("error", () => undefined);
    status = response.statusCode ?? null;
    const answer = await headOf(response, answerBytes);
    return { status, answer, error: refusal(status) };
  } catch (error) {
    const late = timeout.aborted ? `no complete response within ${timeoutMs / 1000} s` : undefined;
    return { status, answer: null, error: late ?? (error instanceof Error ? error.message : String(error)) };
  }
}

/** Resolves a host, and returns the options of a request to its address. @throws if the address is not public */
async function checkedTarget(
  hostname: string,
  lookup: LookupFunction,
): Promise<{ hostname: string; servername?: string }> {
  if (isIP(hostname.replace(/^\[|\]$/g, "")) !== 0) return { hostname };
  const address = await new Promise<string>((resolve, reject) => {
    lookup(hostname, {}, (error, found) => (error === null ? resolve(found as string) : reject(error)));
  });
  return { hostname: address, servername: hostname };
}

async function headOf(response: IncomingMessage, bytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= bytes) break;
  }
  return Buffer.concat(chunks).subarray(0, bytes).toString("utf8");
}

function refusal(status: number | null): string | null {
  if (status !== null && status >= 200 && status < 300) return null;
  if (status !== null && status >= 300 && status < 400) {
    return `the receiver responded with ${status}, and redirects are not followed; register the final URL`;
  }
  return `the receiver responded with ${status}; expected 200 to 299`;
}
