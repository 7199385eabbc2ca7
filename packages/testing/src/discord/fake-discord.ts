/**
 * Fake of Discord on loopback, with the parts of the REST API and the gateway (version 10) that the bot uses. Stores
 * channels, threads and messages, returns Discord's errors, and records messages that would have pinged users.
 */
import { generateKeyPairSync, sign, type KeyObject } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import type { z } from "zod";
import type { DiscordOptions } from "@kernelbot/server/src/integrations/discord/options.ts";
import type { Signed } from "@kernelbot/server/src/integrations/discord/signature.ts";
import { openFakeGateway, type FakeGateway } from "./fake-gateway.ts";
import { interactionBody, type UserAction } from "./interaction-body.ts";
import { ChoicesLimits, CommandsLimits, MessageLimits, ThreadName, WindowLimits } from "./limits.ts";

export interface FakeMessage {
  id: string;
  content: string;
  files: { name: string; text: string }[];
  /** All buttons and menus of the message. */
  parts: { custom_id: string; label?: string; disabled?: boolean; options?: { value: string }[] }[];
  ephemeral: boolean;
  nonce: string | undefined;
}

interface FakeChannel {
  id: string;
  name: string;
  guild: string;
  parent: string | null;
  isPrivate: boolean;
  archived: boolean;
  /** Creator: the bot, unless a test sets another one. */
  owner: string;
  members: string[];
  messages: FakeMessage[];
}

/** Request that the API received. */
export interface Asked {
  method: string;
  /** Path below the API version. */
  path: string;
  authorization: string | undefined;
}

export interface Trouble {
  status: number;
  body?: object;
  headers?: Record<string, string>;
}

export interface FakeDiscord extends AsyncDisposable {
  options: DiscordOptions;
  requests: Asked[];
  /** Channels and threads by id; threads have their channel as parent. */
  channels: Map<string, FakeChannel>;
  gateway: FakeGateway;
  /** Commands of the last registration. */
  commands: { name: string; options?: { name: string }[] }[];
  /** Contents of messages that would have pinged a user. */
  pings: string[];
  /** Returns a response that replaces the normal one; undefined for the normal one. */
  trouble: (request: Asked) => Trouble | undefined;
  channel(id: string, change?: Partial<FakeChannel>): FakeChannel;
  threadsOf(channel: string): FakeChannel[];
  /** Returns the messages that the user sees for an interaction token. */
  answers(token: string): FakeMessage[];
  /** Expires all current interaction tokens, as after 15 minutes. */
  expireTokens(): void;
  interaction(action: UserAction): { id: string; token: string; body: object };
  /** Signs a body like Discord. */
  signed(body: object, at?: Date): Signed;
  /** Records the first response to an interaction over HTTP. */
  acknowledge(token: string, response: unknown): void;
  /** Stores a file as an attachment; returns its URL. */
  attach(name: string, text: string | Buffer): { filename: string; size: number; url: string };
}

interface Interaction {
  answers: FakeMessage[];
  acknowledged: boolean;
  expired: boolean;
  /** Message whose button was pressed. */
  on: FakeMessage | undefined;
}

/** Discord's errors, with their codes. */
const REFUSED = {
  unauthorized: { status: 401, body: { message: "401: Unauthorized", code: 0 } },
  unknownChannel: { status: 404, body: { message: "Unknown Channel", code: 10_003 } },
  unknownMessage: { status: 404, body: { message: "Unknown Message", code: 10_008 } },
  unknownWebhook: { status: 404, body: { message: "Unknown Webhook", code: 10_015 } },
  unknownInteraction: { status: 404, body: { message: "Unknown interaction", code: 10_062 } },
  acknowledged: { status: 400, body: { message: "Interaction has already been acknowledged.", code: 40_060 } },
  invalidToken: { status: 401, body: { message: "Invalid Webhook Token", code: 50_027 } },
  empty: { status: 400, body: { message: "Cannot send an empty message", code: 50_006 } },
  invalidForm: { status: 400, body: { message: "Invalid Form Body", code: 50_035 } },
  tooLarge: { status: 413, body: { message: "Request entity too large", code: 40_005 } },
  archived: { status: 400, body: { message: "Thread is archived", code: 50_083 } },
} as const;

const EPHEMERAL = 64;
/** Size of the files of a message. */
const MAX_BYTES = 10 * 2 ** 20;

export async function openFakeDiscord({ http = true } = {}): Promise<FakeDiscord> {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const requests: Asked[] = [];
  const channels = new Map<string, FakeChannel>();
  const interactions = new Map<string, Interaction>();
  const files = new Map<string, Buffer>();
  const pings: string[] = [];
  // Ids are unique, also across fakes, and exceed the integers of JavaScript, as Discord's do.
  let last = BigInt(Date.now()) * 1_000_000n + BigInt(Math.floor(1_000_000 * Math.random()));
  const number = (): string => String((last += 1n));

  const server = createServer((request, response) => void serve(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const gateway = openFakeGateway(server, `ws://127.0.0.1:${port}/gateway`);
  const options: DiscordOptions = {
    botToken: "BOT.TOKEN.x",
    applicationId: "1",
    publicKey: http ? rawHex(publicKey) : null,
    apiUrl: `${url}/api`,
    cdnUrl: url,
  };

  function channel(id: string, change: Partial<FakeChannel> = {}): FakeChannel {
    const fresh = {
      id,
      name: "",
      guild: "100",
      parent: null,
      isPrivate: false,
      archived: false,
      owner: options.applicationId,
      members: [],
      messages: [],
      ...change,
    };
    channels.set(id, fresh);
    return fresh;
  }

  function fill(message: Partial<FakeMessage>, { body, uploads }: Sent): FakeMessage {
    const flags = (body["flags"] as number | undefined) ?? 0;
    const content = textOf(body["content"]);
    const mentions = body["allowed_mentions"] as { parse?: string[] } | undefined;
    if (mentions?.parse?.length !== 0 && /<@|@everyone|@here/.test(content)) pings.push(content);
    const rows = (body["components"] ?? []) as { components: FakeMessage["parts"] }[];
    return Object.assign(message, {
      id: message.id ?? number(),
      content,
      files: uploads,
      parts: rows.flatMap(({ components }) => components),
      ephemeral: message.ephemeral ?? (flags & EPHEMERAL) !== 0,
      nonce: body["nonce"] as string | undefined,
    });
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const bytes = await buffer(request);
    const path = (request.url ?? "").replace(/^\/api\/v10/, "");
    const file = files.get(path);
    if (file !== undefined) return void response.writeHead(200).end(file);
    const about = { method: request.method ?? "", path, authorization: request.headers.authorization };
    requests.push(about);
    const trouble = fake.trouble(about);
    const sent = await read(bytes, request.headers["content-type"] ?? "");
    const { status, body, headers = {} } = trouble ?? answer(about, sent);
    const type = body === undefined ? {} : { "content-type": "application/json" };
    response.writeHead(status, { ...type, ...headers }).end(body === undefined ? undefined : JSON.stringify(body));
  }

  function answer(about: Asked, sent: Sent): Trouble {
    const words = about.path.split("/").slice(1);
    const [first = "", second = "", third = "", fourth = ""] = words;
    if (sent.uploads.reduce((sum, { text }) => sum + text.length, 0) > MAX_BYTES) return REFUSED.tooLarge;
    if (first === "interactions") return callback(third, sent.body);
    if (first === "webhooks") return webhook(about.method, third, sent);
    if (about.authorization !== `Bot ${options.botToken}`) return REFUSED.unauthorized;
    if (first === "gateway") return { status: 200, body: gateway.about() };
    if (first === "applications") {
      if (!CommandsLimits.safeParse(sent.list).success) return REFUSED.invalidForm;
      fake.commands = sent.list as FakeDiscord["commands"];
      return { status: 200, body: sent.list };
    }
    if (first === "users") {
      const id = `9${String(sent.body["recipient_id"])}`;
      return { status: 200, body: channels.get(id) ?? channel(id) };
    }
    if (first === "guilds") {
      const threads = [...channels.values()].filter(({ parent, archived }) => parent !== null && !archived);
      return {
        status: 200,
        body: { threads: threads.map(toDiscordChannel) },
      };
    }
    const place = channels.get(second);
    if (first !== "channels" || place === undefined) return REFUSED.unknownChannel;
    const { name } = sent.body;
    if (name !== undefined && !ThreadName.safeParse(name).success) return REFUSED.invalidForm;
    if (third === "") return { status: 200, body: toDiscordChannel(Object.assign(place, sent.body)) };
    if (third === "thread-members") {
      place.members.push(fourth);
      return { status: 204 };
    }
    if (third === "threads") return thread(place, sent);
    return messages(about.method, place, fourth, sent);
  }

  function thread(below: FakeChannel, sent: Sent): Trouble {
    const made = channel(number(), {
      name: String(sent.body["name"]),
      guild: below.guild,
      parent: below.id,
      isPrivate: sent.body["type"] === 12,
    });
    const first = sent.body["message"] as Record<string, unknown> | undefined;
    if (first === undefined) return { status: 201, body: made };
    const opening = { ...sent, body: first };
    const refused = refusalOf(opening);
    if (refused !== undefined) return refused;
    made.messages.push(fill({ id: made.id }, opening));
    return { status: 201, body: made };
  }

  function messages(method: string, place: FakeChannel, id: string, sent: Sent): Trouble {
    const refused = refusalOf(sent);
    if (refused !== undefined) return refused;
    if (method === "POST") {
      const { nonce, enforce_nonce: isEnforced } = sent.body as { nonce?: string; enforce_nonce?: boolean };
      const same = isEnforced === true ? place.messages.find((message) => message.nonce === nonce) : undefined;
      const message = same ?? fill({}, sent);
      if (same === undefined) place.messages.push(message);
      place.archived = false;
      return { status: 200, body: message };
    }
    if (place.archived) return REFUSED.archived;
    const message = place.messages.find((each) => each.id === id);
    return message === undefined ? REFUSED.unknownMessage : { status: 200, body: fill(message, sent) };
  }

  function callback(token: string, response: unknown): Trouble {
    const interaction = interactions.get(token);
    if (interaction === undefined || interaction.expired) return REFUSED.unknownInteraction;
    if (interaction.acknowledged) return REFUSED.acknowledged;
    fake.acknowledge(token, response);
    return { status: 204 };
  }

  function webhook(method: string, token: string, sent: Sent): Trouble {
    const interaction = interactions.get(token);
    if (interaction?.acknowledged !== true) return REFUSED.unknownWebhook;
    if (interaction.expired) return REFUSED.invalidToken;
    const refused = refusalOf(sent);
    if (refused !== undefined) return refused;
    if (method === "POST") {
      const more = fill({}, sent);
      interaction.answers.push(more);
      return { status: 200, body: more };
    }
    const original = interaction.on ?? interaction.answers[0];
    return original === undefined ? REFUSED.unknownMessage : { status: 200, body: fill(original, sent) };
  }

  const fake: FakeDiscord = {
    options,
    requests,
    channels,
    gateway,
    commands: [],
    pings,
    trouble: () => undefined,
    channel,
    threadsOf: (id) => [...channels.values()].filter(({ parent }) => parent === id),
    answers: (token) => interactions.get(token)?.answers ?? [],
    expireTokens() {
      for (const interaction of interactions.values()) interaction.expired = true;
    },
    interaction(action) {
      const id = number();
      const token = `interaction-${id}`;
      const body = interactionBody(id, token, action);
      const all = [...interactions.values()].flatMap(({ answers }) => answers);
      const on =
        action.press === undefined
          ? undefined
          : all.find(({ parts }) => parts.some(({ custom_id }) => custom_id === action.press));
      interactions.set(token, { answers: on === undefined ? [] : [on], acknowledged: false, expired: false, on });
      const place = action.channel ?? "200";
      if (!channels.has(place)) channel(place);
      return { id, token, body };
    },
    signed(body, at = new Date()) {
      const bytes = Buffer.from(JSON.stringify(body));
      const timestamp = String(Math.floor(at.getTime() / 1000));
      const signature = sign(null, Buffer.concat([Buffer.from(timestamp), bytes]), privateKey).toString("hex");
      return { body: bytes, signature, timestamp };
    },
    acknowledge(token, response) {
      const interaction = interactions.get(token);
      if (interaction === undefined) return;
      interaction.acknowledged = true;
      const { type, data = {} } = response as { type: number; data?: Record<string, unknown> };
      const limits = LIMITS[type];
      // Discord shows the user that the application did not respond.
      if (limits !== undefined) limits.parse(data);
      // Modal windows, autocomplete choices and deferred updates do not create a message.
      if (type === 4 || type === 5) interaction.answers.push(fill({}, { body: data, uploads: [], list: [] }));
    },
    attach(name, text) {
      const path = `/attachments/${number()}/${encodeURIComponent(name)}`;
      const bytes = Buffer.from(text);
      files.set(path, bytes);
      return { filename: name, size: bytes.length, url: `${url}${path}` };
    },
    async [Symbol.asyncDispose]() {
      gateway.close();
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return fake;
}

/** Limits of the data of a first response, by its type: a message, choices, a window. */
const LIMITS: Readonly<Record<number, z.ZodType>> = { 4: MessageLimits, 8: ChoicesLimits, 9: WindowLimits };

/** Returns a channel in Discord's format. */
function toDiscordChannel({ id, name, guild, parent, owner }: FakeChannel): object {
  return { id, name, guild_id: guild, parent_id: parent, owner_id: owner };
}

interface Sent {
  body: Record<string, unknown>;
  list: unknown[];
  uploads: { name: string; text: string }[];
}

/** Returns how Discord refuses a message; undefined for one that it accepts. */
function refusalOf({ body, uploads }: Sent): Trouble | undefined {
  const message = MessageLimits.safeParse(body);
  if (!message.success) return REFUSED.invalidForm;
  const { content, components } = message.data;
  return content === "" && components.length === 0 && uploads.length === 0 ? REFUSED.empty : undefined;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

async function read(bytes: Buffer, type: string): Promise<Sent> {
  if (bytes.length === 0) return { body: {}, list: [], uploads: [] };
  if (!type.startsWith("multipart/form-data")) {
    const document = JSON.parse(bytes.toString()) as Record<string, unknown> | unknown[];
    return Array.isArray(document)
      ? { body: {}, list: document, uploads: [] }
      : { body: document, list: [], uploads: [] };
  }
  const form = await new Response(new Uint8Array(bytes), { headers: { "content-type": type } }).formData();
  const uploads: Sent["uploads"] = [];
  for (const value of form.values()) {
    if (typeof value !== "string") uploads.push({ name: value.name, text: await value.text() });
  }
  return { body: JSON.parse(textOf(form.get("payload_json"))) as Record<string, unknown>, list: [], uploads };
}

function rawHex(key: KeyObject): string {
  return key.export({ format: "der", type: "spki" }).subarray(-32).toString("hex");
}
