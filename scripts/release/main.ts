/** Builds the packages that are published, in `dist/packages`: `npm run build`. */
import { buildApplication } from "./application.ts";
import { APPLICATIONS } from "./applications.ts";
import { buildLibraries } from "./libraries.ts";

await Promise.all([buildLibraries(), ...APPLICATIONS.map((each) => buildApplication(each))]);
