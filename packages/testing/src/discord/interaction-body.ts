/** Builds interactions in Discord's format. */
import {
  ComponentType,
  InteractionType,
  OptionType,
  type Attachment,
} from "@kernelbot/server/src/integrations/discord/protocol.ts";

export interface FakeUser {
  id: string;
  username: string;
  global_name?: string | null;
}

/** An action of a user: a command with options, a pressed button, a menu choice, or a submitted modal window. */
export interface UserAction {
  user: FakeUser;
  /** Null for direct messages. */
  guild?: string | null;
  channel?: string;
  /** `leaderboard submit test` */
  command?: string;
  options?: Readonly<Record<string, string | number | boolean | Attachment>>;
  /** Option that is being typed, for autocomplete. */
  typing?: string;
  /** Id of the button or menu. */
  press?: string;
  /** Chosen values of the menu. */
  values?: readonly string[];
  /** Id of the modal window, and its input. */
  window?: string;
  written?: string;
}

export function interactionBody(id: string, token: string, action: UserAction): object {
  const { user, guild = "100", channel = "200" } = action;
  const common = { id, token, application_id: "1", version: 1, channel_id: channel, locale: "en-US" };
  const who = guild === null ? { user } : { guild_id: guild, member: { user, roles: [], permissions: "0" } };
  return { ...common, ...who, ...actionBody(action) };
}

function actionBody(action: UserAction): object {
  if (action.press !== undefined) {
    const data = { custom_id: action.press, component_type: ComponentType.button, values: action.values ?? [] };
    return { type: InteractionType.component, data };
  }
  if (action.window !== undefined) {
    const input = { type: ComponentType.textInput, custom_id: "text", value: action.written ?? "" };
    const data = { custom_id: action.window, components: [{ type: ComponentType.row, components: [input] }] };
    return { type: InteractionType.modal, data };
  }
  return {
    type: action.typing === undefined ? InteractionType.command : InteractionType.autocomplete,
    data: command(action),
  };
}

function command({ command: path = "", options = {}, typing }: UserAction): object {
  const attachments: Record<string, Attachment> = {};
  let inner: object[] = Object.entries(options).map(([name, value]) => {
    if (typeof value !== "object") return { name, type: typeOf(value), value, focused: name === typing };
    attachments["7"] = value;
    return { name, type: OptionType.attachment, value: "7" };
  });
  const [first = "", ...words] = path.split(" ");
  for (const [depth, name] of words.toReversed().entries()) {
    inner = [{ name, type: depth === 0 ? OptionType.subcommand : OptionType.group, options: inner }];
  }
  return { id: "5", name: first, type: 1, options: inner, resolved: { attachments } };
}

function typeOf(value: string | number | boolean): number {
  if (typeof value === "number") return OptionType.integer;
  return typeof value === "boolean" ? OptionType.truth : OptionType.text;
}
