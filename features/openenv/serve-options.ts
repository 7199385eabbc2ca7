import type { FeatureOptionDefinitions } from "@kernelbot/server/src/feature-options.ts";
import { z } from "zod";

declare module "@kernelbot/server/src/feature-options.ts" {
  interface FeatureOptions {
    /** Maximum number of open sessions. */
    openenvSessions: number;
  }
}

export const openenv: FeatureOptionDefinitions = {
  feature: "openenv",
  options: {
    "openenv-sessions": {
      argument: "N",
      environment: "KERNELBOT_OPENENV_SESSIONS",
      default: "256",
      help: "maximum number of open OpenEnv sessions, which are WebSocket connections",
    },
  },
  shape: {
    openenvSessions: z
      .string()
      .regex(/^[1-9]\d{0,5}$/, "use a whole number from 1 to 999999")
      .transform(Number)
      .default(256),
  },
};
