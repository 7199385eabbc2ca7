import { canonicalJson, KernelBotError, KeyList, SignedReceipt } from "@kernelbot/core";
import { readReceipt } from "../receipts.ts";
import { listKeys } from "../signer.ts";
import { viewerOf } from "../../http/identify.ts";
import { endpoint, Id } from "../../http/endpoint.ts";

export const receiptEndpoints = [
  endpoint({
    method: "get",
    path: "/runs/{id}/receipt",
    summary: "The signed record of a ranked run that passed: as public as the board that it is on",
    scope: null,
    params: Id,
    answers: { 200: { description: "The same bytes each time, until the board is closed", schema: SignedReceipt } },
    async handle({ c, services, params }) {
      const signed = await readReceipt(services.database, await viewerOf(c, services), params.id);
      if (signed === null) {
        throw new KernelBotError(
          "not_found",
          `there is no receipt of a run ${params.id}: ranked runs that passed have one`,
        );
      }
      return c.body(canonicalJson(signed), 200, {
        "content-type": "application/json",
        "cache-control": "private, no-cache",
      });
    },
  }),

  endpoint({
    method: "get",
    path: "/keys",
    summary: "The public keys that receipts are signed with",
    scope: null,
    answers: { 200: { description: "Every one that was ever used, the newest first", schema: KeyList } },
    async handle({ c, services }) {
      return c.json({ keys: await listKeys(services.database) });
    },
  }),
];
