import { KernelBotError } from "@kernelbot/core";
import type { ObjectStore } from "../artifacts/store.ts";
import { storeSeconds } from "../observe/metrics.ts";

/** Returns the store with its operations measured. */
export function measureStore(store: ObjectStore): ObjectStore {
  async function timed<T>(operation: string, run: () => Promise<T>): Promise<T> {
    const end = storeSeconds.startTimer({ operation });
    try {
      const result = await run();
      end({ outcome: "ok" });
      return result;
    } catch (error) {
      end({ outcome: error instanceof KernelBotError && error.status < 500 ? "refused" : "failed" });
      throw error;
    }
  }

  return {
    put: (bytes, maxBytes) => timed("put", () => store.put(bytes, maxBytes)),
    get: (sha256) => timed("get", () => store.get(sha256)),
    size: (sha256) => timed("size", () => store.size(sha256)),
    delete: (sha256) => timed("delete", () => store.delete(sha256)),
    check: () => timed("check", () => store.check()),
    link: (sha256, link) => store.link(sha256, link),
  };
}
