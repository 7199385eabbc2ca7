import type { Feature } from "../feature.ts";
import { DAY_MS, HOUR_MS, SECOND_MS } from "../jobs/intervals.ts";
import { deleteErasedContents, deleteOldContents } from "./delete-contents.ts";
import { personalDataPages } from "./routes/personal-data-pages.ts";
import { personalDataEndpoints } from "./routes/personal-data.ts";

export const personalData: Feature = {
  name: "personal-data",
  endpoints: personalDataEndpoints,
  pages: personalDataPages,
  jobs(server) {
    const { database, signer } = server;
    const { keepUnranked } = server.options;
    return [
      {
        name: "delete erased contents",
        everyMs: 5 * SECOND_MS,
        long: true,
        run: () => deleteErasedContents(server, signer),
      },
      ...(keepUnranked === undefined
        ? []
        : [
            {
              name: "delete old contents",
              everyMs: HOUR_MS,
              long: true as const,
              run: () => deleteOldContents(database, new Date(Date.now() - keepUnranked * DAY_MS)),
            },
          ]),
    ];
  },
};
