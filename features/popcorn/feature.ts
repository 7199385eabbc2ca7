import type { Feature } from "@kernelbot/server/src/feature.ts";
import { popcornLinkPages } from "./link.ts";
import { POPCORN_ROUTES } from "./routes.ts";

/** The API of the existing system's client, popcorn-cli. */
export const popcorn: Feature = { name: "popcorn", pages: [...popcornLinkPages, ...POPCORN_ROUTES] };
