/** A session: the episodes of one WebSocket connection. Maps each message of the client to the response. */
import { randomUUID } from "node:crypto";
import { KernelBotError, quote } from "@kernelbot/core";
import type { Identity } from "@kernelbot/server/src/auth/identity.ts";
import { cancelEvaluation } from "@kernelbot/server/src/evaluations/end.ts";
import type { Client } from "@kernelbot/server/src/http/clients/clients.ts";
import { validated } from "@kernelbot/server/src/http/input.ts";
import type { Services } from "@kernelbot/server/src/services.ts";
import { identifyClient } from "@kernelbot/server/src/http/client-token.ts";
import { evaluationOf, firstResult, readTask, startJudging, STEP_MS, waitForResult, type Task } from "./environment.ts";
import { respondToMcp } from "./mcp.ts";
import {
  Action,
  ClientMessage,
  MESSAGE_TYPES,
  ResetRequest,
  type ErrorCode,
  type ServerMessage,
  type StepResult,
} from "./messages.ts";

interface SessionStart {
  problem: string;
  token: string | undefined;
  client: Client;
}

interface Episode {
  id: string;
  task: Task;
  /** Number of judged kernels. */
  turn: number;
  /** Ticket of the kernel that is being judged. */
  pending: string | null;
}

export class Session {
  readonly #services: Services;
  readonly #problem: string;
  /** Token of the connection, or of the last reset that had one. */
  #token: string | undefined;
  #episode: Episode | null = null;
  readonly #closed = new AbortController();
  /** Whose requests the messages count as: those of the connection, then of the account. */
  #client: Client;
  /** Whether a message had a valid token. */
  isIdentified = false;

  constructor(services: Services, { problem, token, client }: SessionStart) {
    this.#client = client;
    this.#services = services;
    this.#problem = problem;
    this.#token = token;
  }

  /** Returns the response to a frame; null where the client closes the session. */
  async respond(frame: string): Promise<ServerMessage | null> {
    try {
      this.#services.clients.takeRequest(this.#client);
      const message = parseMessage(frame);
      switch (message.type) {
        case "reset":
          return { type: "observation", data: await this.#reset(message.data ?? {}) };
        case "step":
          return { type: "observation", data: await this.#step(message.data) };
        case "state":
          return {
            type: "state",
            data: { episode_id: this.#episode?.id ?? null, step_count: this.#episode?.turn ?? 0 },
          };
        case "mcp":
          return { type: "mcp", data: respondToMcp(message.data) };
        case "close":
          return null;
      }
    } catch (error) {
      return this.#errorMessage(error);
    }
  }

  /** Ends the session: cancels the evaluation that it waits for. */
  async close(): Promise<void> {
    this.#closed.abort();
    const pending = this.#episode?.pending ?? null;
    this.#episode = null;
    if (pending === null || this.#services.closing.aborted) return;
    try {
      await cancelEvaluation(this.#services.database, await this.identify(), evaluationOf(pending));
    } catch (error) {
      this.#services.log.warn({ err: error }, "cancelling an evaluation failed");
    }
  }

  async #reset(data: unknown): Promise<StepResult> {
    const { token, seed: _seed, episode_id: id, max_turns: maxTurns, ...settings } = validated(ResetRequest, data);
    this.#token = token ?? this.#token;
    const task = await readTask(this.#services, await this.identify(), this.#problem, { settings, maxTurns });
    this.#episode = { id: id ?? randomUUID(), task, turn: 0, pending: null };
    return firstResult(task);
  }

  async #step(data: unknown): Promise<StepResult> {
    const action = validated(Action, data);
    const episode = this.#episode;
    if (episode === null) throw new KernelBotError("conflict", "there is no episode yet; send reset first");
    const { task, turn } = episode;
    if (turn >= task.maxTurns) {
      throw new KernelBotError(
        "conflict",
        `the episode has ended after ${turn} of ${task.maxTurns} kernels; send reset`,
      );
    }
    const identity = await this.identify();
    const ticket = "code" in action ? await startJudging(this.#services, identity, task, action) : action.ticket;
    if ("code" in action) episode.pending = ticket;
    if (ticket !== episode.pending) {
      // A result counts once: otherwise a model could repeat the ticket of its best kernel.
      throw new KernelBotError("unprocessable", "ticket: not that of the kernel being judged in this episode");
    }
    const wait = { turn, waitMs: STEP_MS, signal: this.#closed.signal };
    const result = await waitForResult(this.#services, identity, task, ticket, wait).catch((error: unknown) => {
      episode.pending = null;
      throw error;
    });
    episode.turn = result.observation.turn;
    episode.pending = result.observation.ticket;
    return result;
  }

  /**
   * Returns the account of the token. Called for the connection and at each message, so that a revoked token ends its
   * sessions. @throws KernelBotError `unauthorized` or `forbidden`.
   */
  async identify(): Promise<Identity> {
    const identity = await identifyClient(this.#services.database, this.#token, "submit");
    this.isIdentified = true;
    this.#client = `account ${identity.account.id}`;
    return identity;
  }

  #errorMessage(error: unknown): ServerMessage {
    if (error instanceof MessageError) return errorMessage(error.code, error.message);
    if (error instanceof KernelBotError && error.code !== "internal") {
      return errorMessage(isInvalid(error) ? "VALIDATION_ERROR" : "EXECUTION_ERROR", error.message, {
        ...(isInvalid(error) && { errors: [{ msg: error.message }] }),
      });
    }
    this.#services.log.error({ err: error }, "a message of an OpenEnv session failed");
    return errorMessage("EXECUTION_ERROR", "internal server error; the operator finds it in the log");
  }
}

export function errorMessage(code: ErrorCode, message: string, more: Record<string, unknown> = {}): ServerMessage {
  return { type: "error", data: { message, code, ...more } };
}

/** A frame that is no message. */
class MessageError extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

function parseMessage(frame: string): ClientMessage {
  let document: unknown;
  try {
    document = JSON.parse(frame);
  } catch (error) {
    throw new MessageError("INVALID_JSON", `the message is not JSON: ${(error as Error).message}`);
  }
  const type = (document as { type?: unknown } | null)?.type;
  if (typeof type !== "string" || !MESSAGE_TYPES.includes(type)) {
    const got = typeof type === "string" ? quote(type) : "missing";
    throw new MessageError("UNKNOWN_TYPE", `type: ${got}; expected one of ${MESSAGE_TYPES.join(", ")}`);
  }
  return validated(ClientMessage, document);
}

function isInvalid({ code }: KernelBotError): boolean {
  return code === "unprocessable" || code === "bad_request" || code === "too_large";
}
