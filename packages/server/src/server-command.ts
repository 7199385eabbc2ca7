/** Commands of `kernelbot-server` that optional features add. */
import type { OptionDefinitions } from "@kernelbot/core";
import type { z } from "zod";
import type { Database } from "./db/database.ts";

export interface ServerCommand<Shape extends z.ZodRawShape = z.ZodRawShape> {
  /** What the command does, in the imperative. */
  about: string;
  options: OptionDefinitions;
  /** Schema of each option, by its name in camel case. */
  shape: Shape;
  /** Loads the command, which may run while a server does. */
  load: () => Promise<{ run(options: z.infer<z.ZodObject<Shape>>, database: Database): Promise<void> }>;
}
