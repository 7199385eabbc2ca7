import type { ErasureRequest } from "@kernelbot/core";
import { api } from "../api.ts";
import type { Connection } from "./connection.ts";

/** Export and erasure of an account: the caller's, or, for administrators, the one with this name. */
export function personalDataClient({ request, streamBytes }: Connection) {
  return {
    /** Streams the bytes of a ZIP file with everything that is stored about the account. */
    export: (name?: string) =>
      name === undefined
        ? streamBytes(api.personalData.export, {})
        : streamBytes(api.accounts.export, { params: { name } }),
    /** Returns what an erasure would delete and keep. */
    previewErasure: (name?: string) =>
      name === undefined
        ? request(api.personalData.previewErasure, {})
        : request(api.accounts.previewErasure, { params: { name } }),
    /** Erases the caller's account, or another one if `account` names it. */
    erase: (body: ErasureRequest, account?: string) =>
      account === undefined
        ? request(api.personalData.erase, { body })
        : request(api.accounts.erase, { params: { name: account }, body }),
  };
}
