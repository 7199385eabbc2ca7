/** Schemas and constants of Discord's API, version 10, as far as the bot uses it. */
import { z } from "zod";

export const InteractionType = { ping: 1, command: 2, component: 3, autocomplete: 4, modal: 5 } as const;
export const ResponseType = {
  pong: 1,
  message: 4,
  deferredMessage: 5,
  deferredUpdate: 6,
  choices: 8,
  modal: 9,
} as const;
export const OptionType = {
  subcommand: 1,
  group: 2,
  text: 3,
  integer: 4,
  truth: 5,
  user: 6,
  channel: 7,
  attachment: 11,
} as const;
export const ChannelType = { text: 0, forum: 15 } as const;
export const ComponentType = { row: 1, button: 2, select: 3, textInput: 4 } as const;
export const ButtonStyle = { primary: 1, secondary: 2, danger: 4 } as const;
/** Message flags: suppress link previews; visible only to the caller. */
export const Flag = { noPreviews: 4, ephemeral: 64 } as const;

/** Maximum number of characters in a message. */
export const MAX_CONTENT = 2000;
export const MAX_CHOICES = 25;
/** Discord accepts 10 MB per message; the rest is reserved for everything else in the request. */
export const MAX_FILE_BYTES = 8 * 1024 * 1024;

const NUMBER = "use the Discord id, as a string";
export const Snowflake = z.string(NUMBER).regex(/^\d{1,20}$/, NUMBER);

const User = z.object({ id: Snowflake, username: z.string(), global_name: z.string().nullish() });
export type User = z.infer<typeof User>;

const Attachment = z.object({ filename: z.string(), size: z.number(), url: z.string() });
export type Attachment = z.infer<typeof Attachment>;

export interface Option {
  name: string;
  type: number;
  value?: string | number | boolean | undefined;
  focused?: boolean | undefined;
  options?: Option[] | undefined;
}
const Option: z.ZodType<Option> = z.object({
  name: z.string(),
  type: z.number(),
  value: z.union([z.string(), z.number(), z.boolean()]).optional(),
  focused: z.boolean().optional(),
  options: z.lazy(() => z.array(Option)).optional(),
});

const CommandData = z.object({
  name: z.string(),
  options: z.array(Option).default([]),
  resolved: z.object({ attachments: z.record(Snowflake, Attachment).default({}) }).default({ attachments: {} }),
});

const Common = {
  id: Snowflake,
  token: z.string().min(1).max(1000),
  guild_id: Snowflake.nullish(),
  channel_id: Snowflake.nullish(),
  member: z.object({ user: User }).nullish(),
  user: User.nullish(),
};

/** An interaction, in the same format over HTTP and over the gateway. */
export const Interaction = z.discriminatedUnion("type", [
  z.object({ type: z.literal(InteractionType.ping) }),
  z.object({ ...Common, type: z.literal(InteractionType.command), data: CommandData }),
  z.object({ ...Common, type: z.literal(InteractionType.autocomplete), data: CommandData }),
  z.object({
    ...Common,
    type: z.literal(InteractionType.component),
    data: z.object({ custom_id: z.string(), values: z.array(z.string()).default([]) }),
  }),
  z.object({
    ...Common,
    type: z.literal(InteractionType.modal),
    data: z.object({
      custom_id: z.string(),
      components: z.array(z.object({ components: z.array(z.object({ value: z.string() })).default([]) })),
    }),
  }),
]);
export type Interaction = z.infer<typeof Interaction>;

/** Response of which only the id is used. */
export const Made = z.object({ id: Snowflake });

/** A channel or thread; `owner_id` is the creator of a thread. */
export const Channel = z.object({
  id: Snowflake,
  guild_id: Snowflake.nullish(),
  parent_id: Snowflake.nullish(),
  owner_id: Snowflake.nullish(),
});
export type Channel = z.infer<typeof Channel>;

export const Threads = z.object({ threads: z.array(Channel.extend({ name: z.string() })) });

export interface Button {
  id: string;
  label: string;
  style?: (typeof ButtonStyle)[keyof typeof ButtonStyle];
  disabled?: boolean;
}
interface Menu {
  id: string;
  placeholder: string;
  options: readonly string[];
}

/** An outgoing message. */
export interface Message {
  content: string;
  files?: readonly { name: string; data: string | Buffer }[];
  buttons?: readonly Button[];
  menu?: Menu;
}

/** Returns the body of a message for the API, without its files. Mentions and link previews are disabled. */
export function messageBody({ content, files = [], buttons = [], menu }: Message) {
  const rows = [
    ...(menu === undefined ? [] : [[menuBody(menu)]]),
    ...(buttons.length === 0 ? [] : [buttons.map(buttonBody)]),
  ];
  return {
    content,
    allowed_mentions: { parse: [] },
    flags: Flag.noPreviews,
    attachments: files.map(({ name }, id) => ({ id, filename: name })),
    components: rows.map((components) => ({ type: ComponentType.row, components })),
  };
}

function buttonBody({ id, label, style = ButtonStyle.secondary, disabled = false }: Button) {
  return { type: ComponentType.button, custom_id: id, label, style, disabled };
}

function menuBody({ id, placeholder, options }: Menu) {
  const most = Math.min(options.length, MAX_CHOICES);
  return {
    type: ComponentType.select,
    custom_id: id,
    placeholder,
    min_values: 1,
    max_values: most,
    options: options.slice(0, most).map((value) => ({ label: value, value })),
  };
}
