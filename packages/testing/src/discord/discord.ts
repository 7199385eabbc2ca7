/** Fixtures for tests of the Discord bot: a fake Discord, users, and a passive bot whose pending work `runPending` runs. */
import type { Database } from "@kernelbot/server/src/db/database.ts";
import type { Identity } from "@kernelbot/server/src/auth/identity.ts";
import { openDiscord, type Discord } from "@kernelbot/server/src/integrations/discord/service.ts";
import { openFakeDiscord, type FakeDiscord, type FakeMessage } from "./fake-discord.ts";
import type { FakeUser, UserAction } from "./interaction-body.ts";
import { problemFiles, problemTree } from "../fixtures.ts";
import { testClock, type TestClock } from "../webhooks.ts";

export const PUBLIC_URL = "https://kernels.example.org";
export const SUBMISSIONS = "200";

export const ANN: FakeUser = { id: "100000000000000042", username: "ann", global_name: "Ann" };
export const BOB: FakeUser = { id: "100000000000000043", username: "bob" };
export const ROOT: FakeUser = { id: "100000000000000044", username: "root" };

export interface DiscordScene extends AsyncDisposable {
  fake: FakeDiscord;
  bot: Discord;
  clock: TestClock;
  /** Advances the clock slightly and does all work that is due. */
  runPending(): Promise<void>;
  /** Sends an interaction over HTTP; returns the first response, and the token to read later messages. */
  send(action: UserAction): Promise<{ response: { type: number; data?: Record<string, unknown> }; token: string }>;
  /** Like `send`, but does all work and returns the resulting message. */
  ask(action: UserAction): Promise<FakeMessage>;
  /** Opens the bot of another server with the same database. */
  another(database: Database): Promise<Discord>;
}

const store = { get: () => Promise.resolve(null) };

export async function openDiscordScene(
  database: Database,
  { archives = "http://127.0.0.1:9", hasHub = true } = {},
): Promise<DiscordScene> {
  const fake = await openFakeDiscord();
  const clock = testClock();
  const problemsFolder = problemTree({ "set/fresh": problemFiles() });
  const open = (on: Database): Promise<Discord> =>
    openDiscord({ database: on, store, publicUrl: PUBLIC_URL, problemsFolder, archives, hasHub }, fake.options, {
      clock: clock.now,
      passive: true,
    });
  const bot = await open(database);

  async function runPending(): Promise<void> {
    clock.pass(2000);
    await bot.runPending();
  }
  async function send(action: UserAction) {
    const { token, body } = fake.interaction(action);
    const response = (await bot.interact(fake.signed(body, clock.now()))) as { type: number };
    fake.acknowledge(token, response);
    return { response, token };
  }

  return {
    fake,
    bot,
    clock,
    runPending,
    send,
    async ask(action) {
      const { token } = await send(action);
      await runPending();
      const [first] = fake.answers(token);
      if (first === undefined) throw new Error("the bot sent no response");
      return first;
    },
    another: open,
    async [Symbol.asyncDispose]() {
      await bot.close();
      await fake[Symbol.asyncDispose]();
    },
  };
}

/** Links a Discord user to an account. */
export async function linked(database: Database, { id, username }: FakeUser, { account }: Identity): Promise<void> {
  await database.sql`insert into linked_identity (provider, subject, account_id, label)
    values ('discord', ${id}, ${account.id}, ${username})`;
}
