/** The limits of one client: an account, or the network of a caller without an account. */
import { KernelBotError, quote } from "@kernelbot/core";

export interface ClientLimits {
  /** Connections that are open at once. */
  connections: number;
  /** Event streams that are open at once. */
  streams: number;
  /** Requests whose body has not arrived whole. */
  uploads: number;
  /** Requests per second, as a mean; ten seconds' worth may come at once. */
  requests: number;
}

/** Measured: one address that reads pages as fast as this takes a third of a processor. */
export const DEFAULT_CLIENT_LIMITS: ClientLimits = { connections: 512, streams: 256, uploads: 32, requests: 100 };

export const NO_CLIENT_LIMITS: ClientLimits = {
  connections: Infinity,
  streams: Infinity,
  uploads: Infinity,
  requests: Infinity,
};

/**
 * Limits as an operator writes them: `streams=1000,requests=300`; those left out have their defaults, and `none` lifts all.
 * @throws KernelBotError `bad_request` that quotes what is wrong.
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
