import { KernelBotError } from "@kernelbot/core";
import type { Database } from "../db/database.ts";
import { KERNELBENCH_TABLES } from "./personal-data.ts";
import type { Feature } from "../feature.ts";
import { EVALUATE_MS, evaluateEntries } from "./evaluate.ts";
import { acrossEndpoints } from "./routes/across.ts";
import { baselineEndpoints } from "./routes/baselines.ts";
import { documentEndpoints } from "./routes/documents.ts";
import { entryEndpoints } from "./routes/entries.ts";
import { kernelbenchPages } from "./routes/pages.ts";
import { suiteEndpoints } from "./routes/suites.ts";
import { judgeSampleEntry, offerSampleSuite, SAMPLE_MS } from "./sample.ts";

export const kernelbench: Feature = {
  name: "kernelbench",
  personalData: KERNELBENCH_TABLES,
  otherTables: ["kernelbench_suite", "kernelbench_suite_version", "kernelbench_suite_problem"],
  endpoints: [...suiteEndpoints, ...entryEndpoints, ...baselineEndpoints, ...acrossEndpoints, ...documentEndpoints],
  pages: kernelbenchPages,
  async jobs({ database, options, patiently }) {
    const offersSample = options.sampleSuite && (await patiently(() => offerSuite(database)));
    return [
      {
        name: "evaluate entries",
        everyMs: EVALUATE_MS,
        long: true,
        run: (signal) => evaluateEntries(database, { signal }),
      },
      ...(offersSample
        ? [{ name: "judge sample entry", everyMs: SAMPLE_MS, run: () => judgeSampleEntry(database) }]
        : []),
    ];
  },
};

/** Offers the sample suite, and returns whether the server has it. A conflict is reported on standard error. */
async function offerSuite(database: Database): Promise<boolean> {
  try {
    return await offerSampleSuite(database);
  } catch (error) {
    if (!(error instanceof KernelBotError) || error.code === "unavailable") throw error;
    console.error(`the sample suite of KernelBench is not offered: ${error.message}`);
    return false;
  }
}
