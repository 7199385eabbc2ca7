/** Commands under one name, such as `kernelbot admin invites create`. Each is loaded when it is called. */
import type { Runnable } from "./command.ts";
import { UsageError } from "./exit.ts";

export interface Group {
  /** Name of the group on the command line: `admin invites`. */
  name: string;
  about: string;
  commands: Record<string, { about: string; load: () => Promise<{ command: Runnable }> }>;
}

export function defineGroup({ name: group, about, commands }: Group): Runnable {
  async function found(name: string): Promise<Runnable> {
    const entry = Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (entry !== undefined) return (await entry.load()).command;
    throw new UsageError(`there is no command ${JSON.stringify(`${group} ${name}`)}; see kernelbot ${group} --help`);
  }
  return {
    async help([name = "", ...rest] = []) {
      if (Object.hasOwn(commands, name)) return (await found(name)).help(rest);
      const width = Math.max(...Object.keys(commands).map((name) => name.length));
      return [
        about,
        "",
        `Usage: kernelbot ${group} COMMAND [arguments] [options]`,
        "",
        ...Object.entries(commands).map(([name, { about }]) => `  ${name.padEnd(width)}  ${about}`),
        "",
        `kernelbot ${group} COMMAND --help tells more.`,
      ].join("\n");
    },
    run: async ([name = "", ...rest]) => (await found(name)).run(rest),
  };
}
