import type { Problem } from "@kernelbot/core";
import type { ServerClient } from "../server/server-client.ts";

/** Number of cached problems. A runner judges few problems at a time, each of a few hundred kilobytes at most. */
const KEPT = 16;

/** LRU cache of problem versions, which are immutable. */
export class ProblemCache {
  readonly #client: ServerClient;
  readonly #problems = new Map<string, Problem>();

  constructor(client: ServerClient) {
    this.#client = client;
  }

  /** Returns a problem version. @throws like `ServerClient.problem`. */
  async get(version: string, signal: AbortSignal): Promise<Problem> {
    const problem = this.#problems.get(version) ?? (await this.#client.problem(version, signal));
    // A Map iterates in insertion order, so the least recently used key is the first.
    this.#problems.delete(version);
    this.#problems.set(version, problem);
    const [oldest] = this.#problems.keys();
    if (this.#problems.size > KEPT && oldest !== undefined) this.#problems.delete(oldest);
    return problem;
  }
}
