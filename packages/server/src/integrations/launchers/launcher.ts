/**
 * Interface of all launchers. A launcher requests runners from a service. Queues, budgets and the database belong to
 * the scaler, which decides about launches.
 */
import type { TargetSettings } from "./settings.ts";

/** Request for a runner. */
export interface LaunchRequest {
  /** Unique name of the launch, used by the service and the runner. */
  name: string;
  target: string;
  /** Base URL of this server. */
  server: string;
  /** Token with which the runner claims runs; null when the runner gets one by proving its identity (see join.ts). */
  token: string | null;
  /** Seconds without work after which the runner ends. */
  idleS: number;
  /** Time after which the runner claims no more runs. */
  endsBy: Date;
  /**
   * Seconds after which the service must end the runner in any case; includes the longest run, claimed at the last
   * moment.
   */
  hardLimitS: number;
}

/** State of a launch, as reported by its service. */
export type LaunchStatus =
  /** `queued`: no machine is free yet. `waiting`: it has a machine, or the service does not say, and does not run yet. */
  | { state: "queued" | "waiting" | "running"; detail?: string | undefined }
  /** Finished, or no longer known to the service. */
  | { state: "ended"; detail?: string | undefined };

export interface Launcher {
  /** Whether runners prove their identity to this server to get a token. */
  readonly usesProof: boolean;
  /**
   * Requests a runner; returns the service's id of the launch.
   * @throws Refused when the service rejected the request; any other error when the outcome is unknown.
   */
  launch(order: LaunchRequest, signal: AbortSignal): Promise<string>;
  /**
   * Returns the service's id of a launch whose request may have been lost; null if the service has no launch of that
   * name.
   */
  find(name: string, askedAt: Date, signal: AbortSignal): Promise<string | null>;
  status(externalId: string, signal: AbortSignal): Promise<LaunchStatus>;
  /** Ends the launch; does nothing when it has ended. */
  cancel(externalId: string, signal: AbortSignal): Promise<void>;
  /** Releases resources of the launcher. */
  close?(): void;
}

/** Thrown when the service rejected the request, so that no runner will start. */
export class Refused extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "Refused";
  }
}

/** Returns the runner's command line, without its token, because process lists are public. */
export function runnerArguments(
  order: LaunchRequest,
  { unsafeNoSandbox }: Pick<TargetSettings, "unsafeNoSandbox">,
): string[] {
  return [
    ...["--server", order.server, "--target", order.target, "--name", order.name],
    ...["--end-when-idle", String(order.idleS), "--end-at", order.endsBy.toISOString()],
    ...(unsafeNoSandbox ? ["--unsafe-no-sandbox"] : []),
  ];
}

/** Environment variable from which a runner reads its token. */
export const TOKEN_VARIABLE = "KERNELBOT_RUNNER_TOKEN";
