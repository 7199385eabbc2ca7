import type { Feature } from "../feature.ts";
import { documentationPages } from "./routes/documentation-pages.ts";

export const docs: Feature = { name: "docs", pages: documentationPages };
