/**
 * Minimal client of the Kubernetes API: five JSON requests, for which the official client would add 64 MB. It omits
 * kubeconfig and its sign-in programs: a server that runs for months should use a service account, whose token file
 * Kubernetes rotates.
 */
import { request as requestInClear } from "node:http";
import { request } from "node:https";
import { text } from "node:stream/consumers";
import { readFile } from "node:fs/promises";
import { z } from "zod";
import { readSecret } from "./secret-file.ts";

export interface Api {
  /** Sends a request and validates the response. @throws KubernetesError when the status is not 2xx. */
  <Shape extends z.ZodType>(
    shape: Shape,
    method: "GET" | "POST" | "DELETE",
    path: string,
    body?: unknown,
    signal?: AbortSignal,
  ): Promise<z.infer<Shape>>;
}

/** Error response of the API. */
export class KubernetesError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = "KubernetesError";
    this.status = status;
  }
}

const Status = z.object({ message: z.string() });
const MAX_ANSWER_BYTES = 10_000_000;

export function kubernetesApi({
  server,
  tokenFile,
  caFile,
}: {
  server: string;
  tokenFile: string;
  caFile: string | undefined;
}): Api {
  return async (shape, method, path, body, signal) => {
    const url = new URL(path, server);
    const sent = body === undefined ? undefined : JSON.stringify(body);
    const headers = {
      authorization: `Bearer ${await readSecret(tokenFile)}`,
      accept: "application/json",
      // Node does not set the length of a DELETE request.
      ...(sent !== undefined && { "content-type": "application/json", "content-length": Buffer.byteLength(sent) }),
    };
    const ca = caFile === undefined ? undefined : await readFile(caFile);
    const { status, answer } = await new Promise<{ status: number; answer: string }>((resolve, reject) => {
      const options = { method, headers, ...(signal && { signal }) };
      const outgoing = url.protocol === "http:" ? requestInClear(url, options) : request(url, { ...options, ca });
      outgoing.on("error", reject).on("response", (response) => {
        let size = 0;
        response.on("data", (chunk: Buffer) => {
          size += chunk.length;
          if (size > MAX_ANSWER_BYTES) response.destroy(new Error("the response of Kubernetes is too large"));
        });
        text(response).then((answer) => resolve({ status: response.statusCode ?? 0, answer }), reject);
      });
      outgoing.end(sent);
    });
    const json = parsed(answer);
    if (status >= 200 && status < 300) return shape.parse(json);
    const detail = Status.safeParse(json).data?.message ?? answer.slice(0, 200);
    throw new KubernetesError(status, `Kubernetes responded with ${status} to ${method} ${url.pathname}: ${detail}`);
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
