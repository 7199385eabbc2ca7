/** Settings of a target, common to all kinds of launchers. */
import { z } from "zod";

const Positive = z.number().positive();

export const TargetSettings = z.strictObject({
  /** Maximum number of concurrent runners. */
  maxRunners: z.int().min(1).max(10_000).default(1),
  /** Seconds without work after which a runner ends. */
  idleSeconds: z.int().min(0).max(86_400).default(120),
  /** How long after its launch a runner claims runs, in minutes. */
  lifetimeMinutes: Positive.max(10_080).default(60),
  /** Minutes within which a new runner must claim its first run, without its time in the queue of the service. */
  joinMinutes: Positive.max(1440).default(10),
  /** Minimum number of seconds between launches. */
  cooldownSeconds: z.number().min(0).max(86_400).default(15),
  /** Cost of a runner per hour, in any currency. */
  ratePerHour: z.number().min(0).default(1),
  /** Maximum cost per day and per month (UTC), in the same currency. */
  budgetPerDay: Positive.optional(),
  budgetPerMonth: Positive.optional(),
  /** Runs without the sandbox; every result is marked. */
  unsafeNoSandbox: z.boolean().default(false),
});
export type TargetSettings = z.infer<typeof TargetSettings>;
