/** Options of `kernelbot-server adopt`. */
import { ImportHead, type OptionDefinitions } from "@kernelbot/core";
import { z } from "zod";

export const OPTIONS: OptionDefinitions = {
  from: {
    argument: "ADDRESS|DUMP",
    help: "database of the existing KernelBot, as postgres://…, or a file that pg_dump made of it (required)",
  },
  source: {
    argument: "NAME",
    default: "kernelbot",
    help: "name of the existing KernelBot, shown with imported submissions; the same in each pass",
  },
  "dry-run": { help: "execute the pass in a transaction that is rolled back, and show its counts and faults" },
  "include-unfinished": { help: "also import submissions that have not finished, for the last pass" },
  "max-removals": {
    argument: "COUNT",
    default: "10",
    help: "submissions of earlier passes that the database may lack; these are removed here. With more, nothing is written",
  },
  report: {
    argument: "FILE",
    help: "file for the rows that were not imported or were changed, one JSON object per line",
  },
};

export const SHAPE = {
  from: z.string().min(1, "name the address of a database, or a dump"),
  source: ImportHead.shape.source.default("kernelbot"),
  dryRun: z.boolean().default(false),
  includeUnfinished: z.boolean().default(false),
  maxRemovals: z
    .string()
    .regex(/^\d{1,9}$/, "use a whole number")
    .transform(Number)
    .default(10),
  report: z.string().min(1).optional(),
};

export type AdoptOptions = z.infer<z.ZodObject<typeof SHAPE>>;
