/** Estimates with confidence intervals, as tables, receipts and messages show them. */
import { z } from "zod";

/** Estimate with its 95 % confidence interval, in the unit of the samples. */
export const Interval = z.object({ value: z.number(), low: z.number(), high: z.number() });
export type Estimate = z.infer<typeof Interval>;
