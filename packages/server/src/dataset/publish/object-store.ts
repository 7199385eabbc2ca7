/** Publishes to the object store: each file under its SHA-256, with `dataset.json` as the index of all files. */
import { createReadStream } from "node:fs";
import { PublicationError } from "@kernelbot/dataset";
import type { ObjectStore } from "../../artifacts/store.ts";
import type { Destination } from "./destination.ts";

const INDEX = "dataset.json";
const ADDRESS = "sha256:";

export function openObjectStoreDestination(store: ObjectStore): Destination {
  return {
    name: "object_store",
    keepsEarlier: false,
    async publish({ files, gone }, onProgress, signal) {
      const index = files.find(({ path }) => path === INDEX);
      if (index === undefined) throw new PublicationError(`${INDEX} is missing; request another snapshot`, null);
      const done = { files: 0, bytes: 0 };
      // The index is stored last, so that all files that it lists exist.
      for (const file of [...files.filter((file) => file !== index), index]) {
        signal.throwIfAborted();
        if ((await store.size(file.sha256)) !== file.sizeBytes) {
          const stored = await store.put(createReadStream(file.at, { signal }), file.sizeBytes);
          if (stored.sha256 !== file.sha256) throw new PublicationError(`${file.path} changed while it was read`, 0);
        }
        done.files += 1;
        done.bytes += file.sizeBytes;
        onProgress(done);
      }
      for (const sha256 of gone) await store.delete(sha256);
      return `${ADDRESS}${index.sha256}`;
    },
  };
}

/** Returns the SHA-256 of the index in a URL of the object store; null for other URLs. */
export function indexAt(address: string): string | null {
  return address.startsWith(ADDRESS) ? address.slice(ADDRESS.length) : null;
}
