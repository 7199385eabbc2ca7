import type { Feature } from "../feature.ts";
import { assetRoutes } from "./assets.ts";
import { pictureRoutes } from "./picture-routes.ts";
import { themeRoutes } from "./theme.ts";

/** What pages of all features use. */
export const site: Feature = { name: "site", pages: [...assetRoutes, ...pictureRoutes, ...themeRoutes] };
