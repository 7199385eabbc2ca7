/**
 * What all launchers have in common. A launcher asks a service for a runner, and knows nothing of queues, budgets and the
 * database: whether, when and how often, the scaler decides.
 */
import type { TargetSettings } from "./settings.ts";

/** A runner that is wanted. */
export interface Order {
  /** What service and runner shall call it; no other launch has it. */
  name: string;
  target: string;
  /** The address of this server, for the runner. */
  server: string;
  /** What the runner claims with; null where it gets one by proving what it is (see join.ts). */
  token: string | null;
  /** How long it may wait for work before it ends, in seconds. */
  idleS: number;
  /** After this it claims no more. */
  endsBy: Date;
  /** After how many seconds the service shall end it, whatever it does: the longest run may have been claimed last. */
  hardLimitS: number;
}

/** What a service says of a launch. */
export type Standing =
  | { state: "waiting" | "running"; detail?: string | undefined }
  /** It runs no more, or the service has forgotten it. */
  | { state: "ended"; detail?: string | undefined };

export interface Launcher {
  /** Whether a runner proves to this server what it is, and gets its token by that. */
  readonly provesItself: boolean;
  /**
   * Asks for a runner; gives what the service calls it by.
   * @throws Refused where the service has said no; any other error where it is not known what it did.
   */
  launch(order: Order, signal: AbortSignal): Promise<string>;
  /** What the service calls a launch by that may or may not have reached it; null where it knows none of that name. */
  find(name: string, askedAt: Date, signal: AbortSignal): Promise<string | null>;
  standing(externalId: string, signal: AbortSignal): Promise<Standing>;
  /** Ends it, if it is not over yet. */
  cancel(externalId: string, signal: AbortSignal): Promise<void>;
  /** Lets go of what it holds. */
  close?(): void;
}

/** The service has said no: there is no runner, and will be none. */
export class Refused extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "Refused";
  }
}

/** How the runner is called, without its token, which no list of processes shall show. */
export function runnerArguments(order: Order, { unsafeNoSandbox }: Pick<TargetSettings, "unsafeNoSandbox">): string[] {
  return [
    ...["--server", order.server, "--target", order.target, "--name", order.name],
    ...["--end-when-idle", String(order.idleS), "--end-at", order.endsBy.toISOString()],
    ...(unsafeNoSandbox ? ["--unsafe-no-sandbox"] : []),
  ];
}

/** The variable in which a runner looks for its token. */
export const TOKEN_VARIABLE = "KERNELBOT_RUNNER_TOKEN";
