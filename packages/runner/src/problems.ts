import type { Problem } from "@kernelbot/core";
import type { ServerClient } from "./client.ts";

/** A runner judges few problems at a time; each is some hundred kilobytes at most. */
const KEPT = 16;

/** The problem versions that were asked for last. A version never changes, so none is fetched twice in a row. */
export class ProblemCache {
  readonly #client: ServerClient;
  readonly #problems = new Map<string, Problem>();

  constructor(client: ServerClient) {
    this.#client = client;
  }

  /** @throws what `ServerClient.problem` throws. */
  async get(version: string, signal: AbortSignal): Promise<Problem> {
    const problem = this.#problems.get(version) ?? (await this.#client.problem(version, signal));
    // A map keeps the order in which keys came: the one that was not used for longest is the first.
    this.#problems.delete(version);
    this.#problems.set(version, problem);
    const [oldest] = this.#problems.keys();
    if (this.#problems.size > KEPT && oldest !== undefined) this.#problems.delete(oldest);
    return problem;
  }
}
