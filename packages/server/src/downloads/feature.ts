import type { Feature } from "../feature.ts";
import { downloadRoutes } from "./routes/downloads.ts";

export const downloads: Feature = { name: "downloads", pages: downloadRoutes };
