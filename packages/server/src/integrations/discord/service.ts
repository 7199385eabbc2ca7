/** Runs the bot in a server. Servers share its work through the database. */
import { setTimeout as pause } from "node:timers/promises";
import { KernelBotError } from "@kernelbot/core";
import { runJob, startPeriodicJobs, type PeriodicJob } from "../../jobs/periodic.ts";
import { openWorkers } from "../../jobs/workers.ts";
import { openApi } from "./api.ts";
import type { Bot, DiscordResources } from "./bot.ts";
import { commandTree } from "./command-tree.ts";
import { COMMANDS } from "./commands/commands.ts";
import { keepGateway } from "./gateway.ts";
import { LEASE_MS } from "./row-leases.ts";
import { handleInteraction, deleteOldInteractions, type InteractionResult } from "./interactions.ts";
import { claimMessage, deleteOldMessages, sendMessage } from "./messages.ts";
import { announceBoardChanges } from "./podium-announcements.ts";
import type { DiscordOptions } from "./options.ts";
import { claimPost, storePosts, readPosts, publishPost, type Posts } from "./posts.ts";
import { Interaction } from "./protocol.ts";
import { isSigned, publicKeyOf, type Signed } from "./signature.ts";
import { claimSubmission, deleteOldSubmissionRows, processSubmission } from "./submissions.ts";

const POSTS_MS = 30_000;
const FORGET_MS = 3_600_000;
/** Delay of the work after an HTTP response, until the response has reached Discord. */
const ANSWERED_MS = 300;
/** How long a stopping server continues to handle interactions. */
const ANSWERING_MS = 3000;

export interface Discord {
  /**
   * Handles an interaction received over HTTP and returns the response.
   * @throws KernelBotError `unauthorized` when Discord's signature is missing or invalid; `conflict` when it was
   * handled before.
   */
  interact(signed: Signed): Promise<object>;
  /** Does all work that is due now; for tests. */
  runPending(): Promise<void>;
  /** Stops the bot. Pending requests to Discord are aborted, and repeated by the next server. */
  close(): Promise<void>;
}

interface ServiceOptions {
  clock?: () => Date;
  /** Disables all background work; only interactions are handled, and `runPending` does the rest. For tests. */
  passive?: boolean;
}

export async function openDiscord(
  resources: DiscordResources,
  options: DiscordOptions,
  { clock = () => new Date(), passive = false }: ServiceOptions = {},
): Promise<Discord> {
  const stopped = new AbortController();
  const { signal } = stopped;
  const api = await openApi(options, signal);
  const key = options.publicKey === null ? null : publicKeyOf(options.publicKey);
  const { log } = resources.database;
  const isEnding = () => signal.aborted;
  const common = { slowMs: LEASE_MS, signal, log };
  const register = () => api.setCommands(commandTree(COMMANDS));
  const bot: Bot = { ...resources, options, api, clock, register, wake: () => periodic?.wake() };
  const afters = new Set<Promise<void>>();
  let posts: Posts = new Map();

  const workers = [
    openWorkers({
      name: "Discord submission",
      slots: 8,
      claim: () => claimSubmission(bot, clock()),
      work: (row) => processSubmission(bot, row),
      ...common,
    }),
    openWorkers({
      name: "Discord message",
      slots: 4,
      claim: () => claimMessage(bot, clock()),
      work: (row) => sendMessage(bot, row),
      ...common,
    }),
    openWorkers({
      name: "Discord forum post",
      slots: 1,
      claim: () => claimPost(bot, clock()),
      work: (row) => publishPost(bot, row, posts),
      ...common,
    }),
  ];
  const jobs: PeriodicJob[] = [
    { name: "Discord announcements", everyMs: 0, run: () => announceBoardChanges(bot) },
    {
      name: "Discord forum posts",
      everyMs: POSTS_MS,
      async run() {
        posts = await readPosts(bot);
        await storePosts(bot, posts);
      },
    },
    {
      name: "delete old Discord rows",
      everyMs: FORGET_MS,
      async run() {
        await deleteOldInteractions(bot);
        await deleteOldSubmissionRows(bot);
        await deleteOldMessages(bot);
      },
    },
    {
      name: "Discord messages",
      everyMs: 0,
      run: () => Promise.all(workers.map((each) => each.start())),
    },
  ];

  function follow({ after }: InteractionResult, waitMs: number): void {
    if (after === undefined) return;
    const following = pause(waitMs)
      .then(after)
      .catch((error: unknown) =>
        isEnding() ? undefined : log(`Discord: sending the result of an interaction failed: ${String(error)}`),
      )
      .finally(() => afters.delete(following));
    afters.add(following);
  }

  async function handleGatewayEvent(event: unknown): Promise<void> {
    const interaction = Interaction.parse(event);
    const found = await handleInteraction(bot, interaction);
    if (found === null || !("id" in interaction)) return;
    await api.respond(interaction, found.response);
    follow(found, 0);
  }

  const periodic = passive ? undefined : startPeriodicJobs(resources.database, jobs);
  const registering = passive ? undefined : registerCommands();
  const leaveGateway =
    passive || key !== null
      ? undefined
      : keepGateway(bot, (event) => {
          const handling: Promise<void> = handleGatewayEvent(event)
            .catch((error: unknown) => log(`Discord: handling an interaction failed: ${String(error)}`))
            .finally(() => afters.delete(handling));
          afters.add(handling);
        });

  async function registerCommands(): Promise<void> {
    while (!isEnding()) {
      try {
        return await register();
      } catch (error) {
        if (!isEnding()) log(`Discord: registering the commands failed, retrying: ${String(error)}`);
        await pause(POSTS_MS, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  const answered = async () => {
    while (afters.size > 0) await Promise.all(afters);
  };
  const idle = async () => {
    await answered();
    for (const each of workers) await each.idle();
  };

  return {
    async interact(signed) {
      if (key === null) {
        throw new KernelBotError("not_found", "this server receives interactions over the gateway, or has no bot");
      }
      if (!isSigned(key, signed, clock()))
        throw new KernelBotError("unauthorized", "missing or invalid Discord signature");
      const read = Interaction.safeParse(JSON.parse(Buffer.from(signed.body).toString()));
      if (!read.success) throw new KernelBotError("unprocessable", "unknown type of interaction");
      const found = await handleInteraction(bot, read.data);
      if (found === null) throw new KernelBotError("conflict", "this interaction was already handled");
      follow(found, passive ? 0 : ANSWERED_MS);
      return found.response;
    },
    async runPending() {
      await idle();
      for (const job of jobs) await runJob(resources.database, job, signal);
      await idle();
    },
    async close() {
      await leaveGateway?.();
      // Interactions are still answered; other pending work is left to the next server.
      await Promise.race([answered(), pause(ANSWERING_MS, undefined, { ref: false })]);
      stopped.abort();
      await Promise.all([periodic?.stop(), registering]);
      await idle();
      api.close();
    },
  };
}
