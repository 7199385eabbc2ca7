/**
 * Client of GitHub's API with limits on the size and time of responses, which are validated. Failed and unanswered
 * requests throw a `GitHubError`.
 */
import type { Octokit } from "@octokit/core";
import { z } from "zod";

export type { Octokit };

export class GitHubError extends Error {
  readonly status: number;
  /** Milliseconds until the next request is allowed; 0 if GitHub does not specify it. */
  readonly waitMs: number;

  constructor(message: string, status: number, waitMs: number, options?: ErrorOptions) {
    super(message, options);
    this.name = "GitHubError";
    this.status = status;
    this.waitMs = waitMs;
  }

  /** Whether GitHub rejected the request itself (4xx other than a rate limit), so that a retry would fail as well. */
  get isRefusal(): boolean {
    return this.status >= 400 && this.status < 500 && this.waitMs === 0;
  }
}

/** Timeout of a whole response, in milliseconds. */
const ANSWER_MS = 60_000;
/** The largest response is a submission file; a page of changed files with their patches is smaller. */
const MAX_ANSWER_BYTES = 33_000_000;
/** Delay after a rate limit without a given time, in milliseconds. */
const LIMITED_MS = 60_000;
/** Upper limit of any delay requested by GitHub, in milliseconds. */
const MAX_WAIT_MS = 3_600_000;

/** Credentials: an installation of an App, or a token. */
export type GitHubAuth = { appId: number; privateKey: string; installationId: number } | { token: string };

/** Returns a function that creates clients. Loads Octokit on demand. */
export async function openOctokits(apiUrl: string, signal?: AbortSignal): Promise<(auth: GitHubAuth) => Octokit> {
  const [{ Octokit }, { createAppAuth }] = await Promise.all([import("@octokit/core"), import("@octokit/auth-app")]);
  const nothing = (): void => undefined;
  return (auth) =>
    new Octokit({
      ...("token" in auth ? { auth: auth.token } : { authStrategy: createAppAuth, auth }),
      baseUrl: apiUrl,
      userAgent: "kernelbot",
      log: { debug: nothing, info: nothing, warn: nothing, error: nothing },
      request: { fetch: boundedFetch(signal) },
    });
}

export type RequestFunction = ReturnType<typeof createRequest>;

/** Returns a function that sends a request and validates the response. */
export function createRequest(octokit: Octokit) {
  return async <Shape extends z.ZodType>(
    shape: Shape,
    route: string,
    parameters: Record<string, unknown>,
  ): Promise<z.infer<Shape>> => {
    let data: unknown;
    try {
      data = ((await octokit.request(route, parameters)) as { data: unknown }).data;
    } catch (error) {
      throw toGitHubError(error, route);
    }
    const result = shape.safeParse(data);
    if (result.success) return result.data;
    throw new GitHubError(`${route}: the response has an unexpected format: ${z.prettifyError(result.error)}`, 200, 0);
  };
}

/**
 * Returns the bytes of a response. Octokit would decode them as text, because GitHub adds `charset=utf-8` to all
 * content types.
 */
export async function requestBytes(
  octokit: Octokit,
  route: string,
  parameters: Record<string, unknown>,
): Promise<Uint8Array> {
  const body = await createRequest(octokit)(z.instanceof(ReadableStream), route, {
    ...parameters,
    request: { parseSuccessResponseBody: false },
  });
  try {
    return new Uint8Array(await new Response(body).arrayBuffer());
  } catch (error) {
    throw toGitHubError(error, route);
  }
}

/** Returns the response, or `value` when GitHub responded with this status. */
export async function fallbackOnStatus<T, U>(answer: Promise<T>, status: number, value: U): Promise<T | U> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof GitHubError && error.status === status) return value;
    throw error;
  }
}

const Refusal = z.object({
  status: z.number(),
  message: z.string(),
  response: z.object({ headers: z.record(z.string(), z.unknown()) }).optional(),
});

function toGitHubError(error: unknown, route: string): GitHubError {
  const refusal = Refusal.safeParse(error);
  if (!refusal.success) return new GitHubError(`${route}: ${String(error)}`, 0, 0, { cause: error });
  const { status, message, response } = refusal.data;
  return new GitHubError(`${route}: ${status} ${message}`, status, waitMs(status, message, response?.headers ?? {}), {
    cause: error,
  });
}

/**
 * Returns the delay after a rate limit; 0 if there is none. See
 * https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api
 */
function waitMs(status: number, message: string, headers: Record<string, unknown>): number {
  if (status !== 403 && status !== 429) return 0;
  const number = (name: string): number => Number(headers[name] ?? NaN);
  const afterMs = number("retry-after") * 1000;
  if (afterMs >= 0) return Math.min(afterMs, MAX_WAIT_MS);
  if (number("x-ratelimit-remaining") === 0) {
    const untilMs = number("x-ratelimit-reset") * 1000 - Date.now();
    return Math.min(Math.max(untilMs || 0, LIMITED_MS), MAX_WAIT_MS);
  }
  return status === 429 || /rate limit/i.test(message) ? LIMITED_MS : 0;
}

/** Returns a `fetch` that rejects redirects, and aborts responses that are too slow or too large. */
function boundedFetch(signal: AbortSignal | undefined): typeof fetch {
  return async (input, init) => {
    const until = AbortSignal.any([
      AbortSignal.timeout(ANSWER_MS),
      ...[signal, init?.signal].filter((each) => each != null),
    ]);
    const response = await fetch(input, { ...init, signal: until, redirect: "error" });
    if (response.body === null) return response;
    let left = MAX_ANSWER_BYTES;
    const bound = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        left -= chunk.byteLength;
        if (left < 0) controller.error(new Error(`the response exceeds ${MAX_ANSWER_BYTES} bytes`));
        else controller.enqueue(chunk);
      },
    });
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(bound), { status, statusText, headers });
  };
}
