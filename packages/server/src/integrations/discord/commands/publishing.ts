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
  about: "Publish the data of all ended competitions to Hugging Face",
  options: [],
  async run({ bot, context }) {
    const { database, publicUrl, hasHub } = bot;
    const identity = await callerOf(bot, context.user);
    requireRole(identity, "administrator");
    if (!hasHub) throw new KernelBotError("conflict", NOT_SET_UP.hugging_face);
    const { id, competitions } = await requestSnapshot(database, identity, { competitions: "ended" });
    await requestPublication(database, identity, id, "hugging_face");
    return {
      content: `Snapshot **${id}** of ${formatCount(competitions.length, "competition")} is being built and will be published to Hugging Face. Progress: <${publicUrl}/data/${id}>`,
    };
  },
};
