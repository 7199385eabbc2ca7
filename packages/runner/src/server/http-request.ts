/**
 * HTTP requests that need little memory: `fetch` would add 30 MB to an idle runner. So would `import` of `node:http`, 14 MB,
 * since it reads every export of the module, and some load the implementations of `fetch` and HTTP/2.
 */
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { pipeline } from "node:stream/promises";
import { text } from "node:stream/consumers";

interface HttpRequest {
  method: string;
  headers?: Record<string, string>;
  body?: string | Blob;
  signal: AbortSignal;
}

export interface HttpResponse {
  status: number;
  statusText: string;
  headers: IncomingHttpHeaders;
  text: string;
}

/**
 * Sends a request over a connection that is kept open for the next one. Redirects are not followed, since the token must
 * not be sent to another server. @throws Error if the response is incomplete when the signal is aborted.
 */
export async function sendRequest(
  url: URL,
  { method, headers, body = "", signal }: HttpRequest,
): Promise<HttpResponse> {
  const { request } = process.getBuiltinModule(url.protocol === "https:" ? "node:https" : "node:http");
  const length = typeof body === "string" ? Buffer.byteLength(body) : body.size;
  const outgoing = request(url, { method, signal, headers: { ...headers, "content-length": length } });
  const response = new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.on("response", resolve).on("error", reject);
  });
  // An early response, such as 413, may end the upload: it says more than the error of the upload.
  const sent = typeof body === "string" ? outgoing.end(body) : pipeline(body.stream(), outgoing);
  void Promise.resolve(sent).catch(() => undefined);
  const incoming = await response;
  const { statusCode: status = 0, statusMessage: statusText = "" } = incoming;
  return { status, statusText, headers: incoming.headers, text: await text(incoming) };
}

/** Returns the reason of a request that failed, such as `ECONNREFUSED`. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === "AbortError" && error.cause instanceof Error) return error.cause.message;
  return "code" in error ? String(error.code) : error.message;
}
