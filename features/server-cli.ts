/** The optional features with commands of `kernelbot-server`, by their names. Their code is loaded when they are called. */
import type { ServerCommand } from "@kernelbot/server/src/server-command.ts";
import { adopt } from "./adopt/server-cli.ts";

export const SERVER_COMMANDS: Readonly<Record<string, ServerCommand>> = { adopt };
