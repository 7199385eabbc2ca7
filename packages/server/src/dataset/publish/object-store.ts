/** The object store as a place: each file under its SHA-256, and `dataset.json`, which names them all, as the index. */
import { createReadStream } from "node:fs";
import type { ObjectStore } from "../../artifacts/store.ts";
import { PlaceError, type Place } from "./place.ts";

const INDEX = "dataset.json";
const ADDRESS = "sha256:";

export function openObjectStorePlace(store: ObjectStore): Place {
  return {
    name: "object_store",
    keepsEarlier: false,
    async publish({ files, gone }, told, signal) {
      const index = files.find(({ path }) => path === INDEX);
      if (index === undefined) throw new PlaceError(`${INDEX} is missing; make another snapshot`, null);
      const done = { files: 0, bytes: 0 };
      // The index last: whoever finds it finds all that it names.
      for (const file of [...files.filter((file) => file !== index), index]) {
        signal.throwIfAborted();
        if ((await store.size(file.sha256)) !== file.sizeBytes) {
          const stored = await store.put(createReadStream(file.at, { signal }), file.sizeBytes);
          if (stored.sha256 !== file.sha256) throw new PlaceError(`${file.path} changed while it was read`, 0);
        }
        done.files += 1;
        done.bytes += file.sizeBytes;
        told(done);
      }
      for (const sha256 of gone) await store.delete(sha256);
      return `${ADDRESS}${index.sha256}`;
    },
  };
}

/** The index that an address of this place names; null for other addresses. */
export function indexAt(address: string): string | null {
  return address.startsWith(ADDRESS) ? address.slice(ADDRESS.length) : null;
}
