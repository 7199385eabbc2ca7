import { join } from "node:path";
import { openS3Store } from "../artifacts/s3/s3.ts";
import { DATASET_TABLES } from "./personal-data.ts";
import type { Feature } from "../feature.ts";
import { openHuggingFace } from "../integrations/huggingface/hugging-face.ts";
import { measureStore } from "../operations/measured-store.ts";
import { datasetJobs } from "./jobs.ts";
import { importEndpoints } from "./routes/import.ts";
import { dataPages } from "./routes/pages.ts";
import { publicationEndpoints } from "./routes/publications.ts";
import { snapshotEndpoints } from "./routes/snapshots.ts";

export const dataset: Feature = {
  name: "dataset",
  personalData: DATASET_TABLES,
  otherTables: ["dataset_secret", "dataset_analysis", "dataset_table", "imported_problem"],
  endpoints: [...importEndpoints, ...snapshotEndpoints, ...publicationEndpoints],
  pages: dataPages,
  jobs({ database, store, dataDir, options }) {
    const { s3, huggingFace } = options;
    const bucket = s3 && measureStore(openS3Store({ ...s3, prefix: `${s3.prefix}snapshots/` }));
    const external = huggingFace === undefined ? [] : [openHuggingFace(huggingFace)];
    return datasetJobs(database, options, join(dataDir, "datasets"), store, bucket, external);
  },
};
