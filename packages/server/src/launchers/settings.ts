/** What every launcher is told of a target that it serves. */
import { z } from "zod";

const Positive = z.number().positive();

export const TargetSettings = z.strictObject({
  /** How many runners there may be at once. */
  maxRunners: z.int().min(1).max(10_000).default(1),
  /** How long a runner waits for work before it ends. */
  idleSeconds: z.int().min(0).max(86_400).default(120),
  /** How long a runner claims runs. */
  lifetimeMinutes: Positive.max(10_080).default(60),
  /** How long a runner may take until it first asks for work. */
  joinMinutes: Positive.max(1440).default(10),
  /** How long after a launch there is no other one. */
  cooldownSeconds: z.number().min(0).max(86_400).default(15),
  /** What an hour of a runner costs, in any unit. */
  ratePerHour: z.number().min(0).default(1),
  /** What may be spent in a day and in a month (UTC), in the unit of the rate. */
  budgetPerDay: Positive.optional(),
  budgetPerMonth: Positive.optional(),
  /** Judges without the sandbox; every result is marked. */
  unsafeNoSandbox: z.boolean().default(false),
});
export type TargetSettings = z.infer<typeof TargetSettings>;
