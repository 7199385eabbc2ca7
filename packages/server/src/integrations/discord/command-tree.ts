/** Builds the command definitions that are registered with Discord. */
import type { Command, OptionSpec } from "./command.ts";
import { ChannelType, OptionType } from "./protocol.ts";

/** Descriptions of command groups. */
const GROUPS: Readonly<Record<string, string>> = {
  leaderboard: "Leaderboards and submissions",
  "leaderboard submit": "Submit a kernel",
  admin: "Commands for organisers, moderators and administrators",
};
/** Commands are available in guilds and in direct messages with the bot. */
const CONTEXTS = [0, 1];

interface Node {
  type?: number;
  name: string;
  description: string;
  options?: unknown[];
  contexts?: number[];
}

/** Returns the commands as the nested structure that Discord expects. */
export function commandTree(commands: readonly Command[]): Node[] {
  const roots: Node[] = [];
  for (const { path, about, options } of commands) {
    const words = path.split(" ");
    let level: unknown[] = roots;
    words.forEach((name, depth) => {
      const isLast = depth === words.length - 1;
      const known = (level as Node[]).find((node) => node.name === name);
      const node: Node = known ?? {
        name,
        description: isLast ? about : (GROUPS[words.slice(0, depth + 1).join(" ")] ?? name),
        ...(depth === 0 ? { contexts: CONTEXTS } : { type: isLast ? OptionType.subcommand : OptionType.group }),
        options: isLast ? options.map(optionBody) : [],
      };
      if (known === undefined) level.push(node);
      level = node.options ?? [];
    });
  }
  return roots;
}

function optionBody({ name, about, type, required, maxLength, channels, propose }: OptionSpec) {
  return {
    name,
    description: about,
    type: OptionType[type],
    required: required === true,
    ...(maxLength !== undefined && { max_length: maxLength }),
    ...(channels !== undefined && { channel_types: channels.map((kind) => ChannelType[kind]) }),
    ...(propose !== undefined && { autocomplete: true }),
  };
}
