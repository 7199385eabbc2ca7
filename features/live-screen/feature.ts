import type { Feature } from "@kernelbot/server/src/feature.ts";
import { LIVE_SCREEN_ROUTES } from "./routes.ts";

export const liveScreen: Feature = { name: "live-screen", pages: LIVE_SCREEN_ROUTES };
