import type { Feature } from "@kernelbot/server/src/feature.ts";
import { OPENENV_ROUTES } from "./routes.ts";

export const openenv: Feature = { name: "openenv", pages: OPENENV_ROUTES };
