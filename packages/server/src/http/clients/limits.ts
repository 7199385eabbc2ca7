/** Limits per client: an account, or the network of an anonymous caller. */
import { KernelBotError, quote } from "@kernelbot/core";

export interface ClientLimits {
  /** Maximum number of open connections. */
  connections: number;
  /** Maximum number of open event streams. */
  streams: number;
  /** Maximum number of requests whose body is still being received. */
  uploads: number;
  /** Mean requests per second; bursts of up to ten seconds' worth are allowed. */
  requests: number;
}

/** Measured: a client that reads pages at this rate uses a third of a processor. */
const DEFAULT_CLIENT_LIMITS: ClientLimits = { connections: 512, streams: 256, uploads: 32, requests: 100 };

export const NO_CLIENT_LIMITS: ClientLimits = {
  connections: Infinity,
  streams: Infinity,
  uploads: Infinity,
  requests: Infinity,
};

/**
 * Parses limits such as `streams=1000,requests=300`; missing ones have their defaults, and `none` removes all limits.
 * @throws KernelBotError `bad_request` that quotes the invalid part.
 */
export function parseClientLimits(text: string): ClientLimits {
  if (text.trim() === "none") return NO_CLIENT_LIMITS;
  const limits = { ...DEFAULT_CLIENT_LIMITS };
  for (const part of text.split(",").filter((part) => part.trim() !== "")) {
    const [, name = "", number] = /^\s*([a-z]+)\s*=\s*([1-9]\d{0,6})\s*$/.exec(part) ?? [];
    if (!isLimit(name)) {
      const names = Object.keys(DEFAULT_CLIENT_LIMITS).join(", ");
      throw new KernelBotError(
        "bad_request",
        `${quote(part)} is not a limit of clients; write none, or one of ${names}, and = with a whole number from 1`,
      );
    }
    limits[name] = Number(number);
  }
  return limits;
}

function isLimit(name: string): name is keyof ClientLimits {
  return Object.hasOwn(DEFAULT_CLIENT_LIMITS, name);
}
