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
import { HOLD_MS } from "./held.ts";
import { answer, forgetInteractions, type Answer } from "./interactions.ts";
import { claimMessage, forgetMessages, sendMessage } from "./messages.ts";
import { tellNews } from "./news.ts";
import type { DiscordOptions } from "./options.ts";
import { claimPost, notePosts, readPosts, sayPost, type Posts } from "./posts.ts";
import { Interaction } from "./protocol.ts";
import { isSigned, publicKeyOf, type Signed } from "./signature.ts";
import { claimSubmission, forgetSubmissions, workOff } from "./submissions.ts";

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
  attend(): Promise<void>;
  /** Stops the bot. Pending requests to Discord are aborted, and repeated by the next server. */
  close(): Promise<void>;
}

export interface ServiceOptions {
  clock?: () => Date;
  /** Disables all background work; only interactions are handled, and `attend` does the rest. For tests. */
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
  const common = { slowMs: HOLD_MS, signal, log };
  const register = () => api.setCommands(commandTree(COMMANDS));
  const bot: Bot = { ...resources, options, api, clock, register, wake: () => periodic?.wake() };
  const afters = new Set<Promise<void>>();
  let posts: Posts = new Map();

  const workers = [
    openWorkers({
      name: "Discord submission",
      slots: 8,
      claim: () => claimSubmission(bot, clock()),
      work: (row) => workOff(bot, row),
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
      work: (row) => sayPost(bot, row, posts),
      ...common,
    }),
  ];
  const jobs: PeriodicJob[] = [
    { name: "Discord announcements", everyMs: 0, run: () => tellNews(bot) },
    {
      name: "Discord forum posts",
      everyMs: POSTS_MS,
      async run() {
        posts = await readPosts(bot);
        await notePosts(bot, posts);
      },
    },
    {
      name: "delete old Discord rows",
      everyMs: FORGET_MS,
      async run() {
        await forgetInteractions(bot);
        await forgetSubmissions(bot);
        await forgetMessages(bot);
      },
    },
    {
      name: "Discord messages",
      everyMs: 0,
      run: () => Promise.all(workers.map((each) => each.start())),
    },
  ];

  function follow({ after }: Answer, waitMs: number): void {
    if (after === undefined) return;
    const following = pause(waitMs)
      .then(after)
      .catch((error: unknown) => (isEnding() ? undefined : log(`Discord: an answer was lost: ${String(error)}`)))
      .finally(() => afters.delete(following));
    afters.add(following);
  }

  async function take(told: unknown): Promise<void> {
    const interaction = Interaction.parse(told);
    const found = await answer(bot, interaction);
    if (found === null || !("id" in interaction)) return;
    await api.respond(interaction, found.response);
    follow(found, 0);
  }

  const periodic = passive ? undefined : startPeriodicJobs(resources.database, jobs);
  const registering = passive ? undefined : registered();
  const leaveGateway =
    passive || key !== null
      ? undefined
      : keepGateway(bot, (told) => {
          const taking: Promise<void> = take(told)
            .catch((error: unknown) => log(`Discord: an interaction was not answered: ${String(error)}`))
            .finally(() => afters.delete(taking));
          afters.add(taking);
        });

  async function registered(): Promise<void> {
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
        throw new KernelBotError("not_found", "this server has its interactions by the gateway, or has no bot");
      }
      if (!isSigned(key, signed, clock())) throw new KernelBotError("unauthorized", "this is not signed by Discord");
      const read = Interaction.safeParse(JSON.parse(Buffer.from(signed.body).toString()));
      if (!read.success) throw new KernelBotError("unprocessable", "this is no interaction that the bot knows");
      const found = await answer(bot, read.data);
      if (found === null) throw new KernelBotError("conflict", "this interaction was answered before");
      follow(found, passive ? 0 : ANSWERED_MS);
      return found.response;
    },
    async attend() {
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
