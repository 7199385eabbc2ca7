/**
 * Client of the parts of Discord's REST API that the bot uses. The library handles short rate limits; long ones are
 * thrown as `DiscordError`.
 */
import type { RawFile, REST, RequestMethod as Method } from "@discordjs/rest";
import { z } from "zod";
import type { DiscordOptions } from "./options.ts";
import { fitMessage } from "./fit-message.ts";
import { Channel, Flag, Made, messageBody, Threads, type Message } from "./protocol.ts";
import { DiscordError, toDiscordError } from "./discord-error.ts";

/** Longest rate limit that is waited for. After longer ones the message stays in its row and is retried later. */
const MAX_WAIT_MS = 3000;
const ANSWER_MS = 10_000;

const PRIVATE_THREAD = 12;
const THREAD_MINUTES = 1440;
/** Status of Discord's "Unknown message", "Unknown channel" and similar errors. */
const UNKNOWN = 404;
/** Code of "Thread is archived": messages in an archived thread cannot be edited. */
const ARCHIVED = 50_083;
/** Code of "Interaction has already been acknowledged". */
const ACKNOWLEDGED = 40_060;

export interface Api {
  /** Sends the first response to an interaction that arrived over the gateway. */
  respond(interaction: { id: string; token: string }, response: object): Promise<void>;
  /** Edits the original response to an interaction. */
  editReply(token: string, message: Message): Promise<void>;
  /** Sends another private (ephemeral) message to an interaction. */
  followUp(token: string, message: Message): Promise<void>;
  /** Posts a message; repeated calls with the same nonce post once. Returns the message id. */
  post(channel: string, message: Message, nonce: string): Promise<string>;
  /** Edits a message, unarchiving its thread if necessary. @returns whether the message still exists. */
  edit(channel: string, id: string, message: Message): Promise<boolean>;
  /** Returns a channel or thread; null if it does not exist. */
  channel(id: string): Promise<Channel | null>;
  startPrivateThread(channel: string, name: string): Promise<string>;
  startPost(forum: string, name: string, message: Message): Promise<string>;
  /**
   * Returns an active thread of the bot in a channel whose name matches: one whose creation succeeded although its
   * response was lost. Null if there is none.
   */
  findThread(guild: string, channel: string, isIt: (name: string) => boolean): Promise<string | null>;
  addToThread(thread: string, user: string): Promise<void>;
  /** Renames or archives a thread. @returns whether the thread still exists. */
  changeThread(thread: string, change: { name?: string; archived?: boolean }): Promise<boolean>;
  directMessages(user: string): Promise<string>;
  setCommands(commands: readonly object[]): Promise<void>;
  rest: REST;
  close(): void;
}

/** Creates the client. Loads the library on demand, because only a server with a bot needs it. */
export async function openApi(options: DiscordOptions, signal: AbortSignal): Promise<Api> {
  const { REST, RequestMethod } = await import("@discordjs/rest");
  const { Get, Patch, Post, Put } = RequestMethod;
  const rest = new REST({
    api: options.apiUrl,
    version: "10",
    retries: 1,
    timeout: ANSWER_MS,
    rejectOnRateLimit: ({ retryAfter, timeToReset }) => Math.max(retryAfter, timeToReset) > MAX_WAIT_MS,
  }).setToken(options.botToken);
  // A bot's user id equals its application id.
  const app = options.applicationId;

  async function ask(method: Method, path: `/${string}`, more: RequestOptions = {}): Promise<unknown> {
    try {
      const { body, files, auth = true } = more;
      // The library drops a token after a 401, which Discord may also return during an outage.
      rest.setToken(options.botToken);
      // A separate signal per request, because the library does not remove its listeners.
      const own = AbortSignal.any([signal]);
      return await rest.request({ method, fullRoute: path, body, files, auth, signal: own });
    } catch (error) {
      throw toDiscordError(error);
    }
  }
  const changeThread: Api["changeThread"] = (thread, change) =>
    existed(ask(Patch, `/channels/${thread}`, { body: change }));
  const made = async (answer: Promise<unknown>): Promise<string> => parseResponse(Made, await answer).id;
  /** These endpoints are authorised by the interaction token in the URL. */
  const hook = (token: string): `/${string}` => `/webhooks/${app}/${token}`;

  return {
    async respond({ id, token }, response) {
      try {
        await ask(Post, `/interactions/${id}/${token}/callback`, { body: response, auth: false });
      } catch (error) {
        // Only one server responds to an interaction, so the error means that an earlier attempt succeeded and its
        // response was lost.
        if (!(error instanceof DiscordError) || error.code !== ACKNOWLEDGED) throw error;
      }
    },
    async editReply(token, message) {
      await ask(Patch, `${hook(token)}/messages/@original`, { ...toRequest(message), auth: false });
    },
    async followUp(token, message) {
      const { body, files } = toRequest(message);
      const flags = Flag.ephemeral | Flag.noPreviews;
      await ask(Post, hook(token), { body: { ...body, flags }, files, auth: false });
    },
    post(channel, message, nonce) {
      const { body, files } = toRequest(message);
      return made(ask(Post, `/channels/${channel}/messages`, { body: { ...body, nonce, enforce_nonce: true }, files }));
    },
    async edit(channel, id, message) {
      const edited = () => existed(ask(Patch, `/channels/${channel}/messages/${id}`, toRequest(message)));
      try {
        return await edited();
      } catch (error) {
        if (!(error instanceof DiscordError) || error.code !== ARCHIVED) throw error;
        await changeThread(channel, { archived: false });
        return edited();
      }
    },
    async channel(id) {
      const found = await nullIfMissing(ask(Get, `/channels/${id}`));
      return found === null ? null : parseResponse(Channel, found.answer);
    },
    startPrivateThread(channel, name) {
      const body = { name, type: PRIVATE_THREAD, auto_archive_duration: THREAD_MINUTES, invitable: false };
      return made(ask(Post, `/channels/${channel}/threads`, { body }));
    },
    startPost(forum, name, message) {
      const { body, files } = toRequest(message);
      return made(ask(Post, `/channels/${forum}/threads`, { body: { name, message: body }, files }));
    },
    async findThread(guild, channel, isIt) {
      const { threads } = parseResponse(Threads, await ask(Get, `/guilds/${guild}/threads/active`));
      // Any member may create a thread with such a name.
      const ours = threads.filter(({ parent_id, owner_id }) => parent_id === channel && owner_id === app);
      return ours.find(({ name }) => isIt(name))?.id ?? null;
    },
    async addToThread(thread, user) {
      await ask(Put, `/channels/${thread}/thread-members/${user}`);
    },
    changeThread,
    directMessages: (user) => made(ask(Post, "/users/@me/channels", { body: { recipient_id: user } })),
    async setCommands(commands) {
      await ask(Put, `/applications/${app}/commands`, { body: commands });
    },
    rest,
    close() {
      rest.clearHashSweeper();
      rest.clearHandlerSweeper();
    },
  };
}

async function existed(change: Promise<unknown>): Promise<boolean> {
  return (await nullIfMissing(change)) !== null;
}

async function nullIfMissing(response: Promise<unknown>): Promise<{ answer: unknown } | null> {
  try {
    return { answer: await response };
  } catch (error) {
    if (error instanceof DiscordError && error.status === UNKNOWN) return null;
    throw error;
  }
}

interface RequestOptions {
  body?: object | undefined;
  files?: RawFile[] | undefined;
  auth?: boolean;
}

function toRequest(whole: Message): { body: ReturnType<typeof messageBody>; files: RawFile[] } {
  const message = fitMessage(whole);
  const files = (message.files ?? []).map(({ name, data }) => ({ name, data }));
  return { body: messageBody(message), files };
}

function parseResponse<Shape extends z.ZodType>(shape: Shape, answer: unknown): z.infer<Shape> {
  const result = shape.safeParse(answer);
  if (result.success) return result.data;
  throw new DiscordError("temporary", "Discord's response has an unexpected format", { status: 200 });
}
