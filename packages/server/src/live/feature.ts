import type { Feature } from "../feature.ts";
import { updateRoutes } from "./routes/page-updates.ts";

export const live: Feature = { name: "live", pages: updateRoutes };
