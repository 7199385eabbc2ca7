/** `/admin export-hf`: publishes the data of all ended competitions to Hugging Face. */
import { formatCount, KernelBotError } from "@kernelbot/core";
import { NOT_SET_UP } from "../../../dataset/publish/destination.ts";
import { requestPublication } from "../../../dataset/publish/publications.ts";
import { requestSnapshot } from "../../../dataset/snapshots.ts";
import { requireRole } from "../../../auth/identity.ts";
import { callerOf } from "../accounts.ts";
import type { Command } from "../command.ts";

export const exportHuggingFace: Command = {
  path: "admin export-hf",
  about: "Publish the data of all competitions that have ended at Hugging Face",
  options: [],
  async run({ bot, asker }) {
    const { database, publicUrl, hasHub } = bot;
    const identity = await callerOf(bot, asker.user);
    requireRole(identity, "administrator");
    if (!hasHub) throw new KernelBotError("conflict", NOT_SET_UP.hugging_face);
    const { id, competitions } = await requestSnapshot(database, identity, { competitions: "ended" });
    await requestPublication(database, identity, id, "hugging_face");
    return {
      content: `Snapshot **${id}** is being made of ${formatCount(competitions.length, "competition")}, and goes to Hugging Face once it is ready. How far it is: <${publicUrl}/data/${id}>`,
    };
  },
};
