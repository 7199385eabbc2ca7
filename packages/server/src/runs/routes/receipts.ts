import { api } from "@kernelbot/api";
import { canonicalJson, KernelBotError } from "@kernelbot/core";
import { readReceipt } from "../receipts.ts";
import { listKeys } from "../signer.ts";
import { viewerOf } from "../../http/identify.ts";
import { endpoint } from "../../http/endpoint.ts";

export const receiptEndpoints = [
  endpoint(api.runs.receipt, async ({ c, services, params }) => {
    const signed = await readReceipt(services.database, await viewerOf(c, services), params.id);
    if (signed === null) {
      throw new KernelBotError("not_found", `run ${params.id} has no receipt; only ranked runs that passed have one`);
    }
    return c.body(canonicalJson(signed), 200, {
      "content-type": "application/json",
      "cache-control": "private, no-cache",
    });
  }),

  endpoint(api.runs.keys, async ({ c, services }) => {
    return c.json({ keys: await listKeys(services.database) });
  }),
];
