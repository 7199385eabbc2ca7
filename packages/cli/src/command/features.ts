/** Commands of optional features, which are added to the groups of the program. */
import { defineGroup, type CommandTable } from "./group.ts";

/**
 * Commands of a feature by the name of the group that they are added to, such as `admin invites`; commands of the program
 * itself by the name of their topic in its help text, such as `organise`. Each is inserted before the command that it
 * names, or last; one with the name of another command replaces it.
 */
export type FeatureCommands = Readonly<
  Record<string, Readonly<Record<string, CommandTable[string] & { before?: string }>>>
>;

/** Returns the commands of a group, and of the groups in it, with those that features add. */
export function withFeatures(group: string, table: CommandTable, features: readonly FeatureCommands[]): CommandTable {
  const isEmpty = (name: string): boolean => features.every((feature) => feature[name] === undefined);
  const entries = Object.entries(table).filter(([name, { ofFeatures }]) => !(ofFeatures && isEmpty(name)));
  for (const [name, command] of features.flatMap((feature) => Object.entries(feature[group] ?? {}))) {
    const at = entries.findIndex(([other]) => other === command.before);
    entries.splice(at === -1 ? entries.length : at, 0, [name, command]);
  }
  return Object.fromEntries(entries.map(([name, { about, load }]) => [name, { about, load: withSubcommands(load) }]));

  function withSubcommands(load: CommandTable[string]["load"]): CommandTable[string]["load"] {
    return async () => {
      const { command } = await load();
      if (!("group" in command)) return { command };
      const { name, commands } = command.group;
      return { command: defineGroup({ ...command.group, commands: withFeatures(name, commands, features) }) };
    };
  }
}
