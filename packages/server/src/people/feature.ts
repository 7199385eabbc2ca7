import type { Feature } from "../feature.ts";
import { accountPages } from "./routes/account-pages.ts";
import { accountEndpoints } from "./routes/accounts.ts";
import { personEndpoints, personPages } from "./routes/people.ts";

export const people: Feature = {
  name: "people",
  endpoints: [...accountEndpoints, ...personEndpoints],
  pages: [...personPages, ...accountPages],
};
