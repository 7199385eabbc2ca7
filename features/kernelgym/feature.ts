import type { Feature } from "@kernelbot/server/src/feature.ts";
import { KERNELGYM_ROUTES } from "./routes.ts";

export const kernelgym: Feature = { name: "kernelgym", pages: KERNELGYM_ROUTES };
