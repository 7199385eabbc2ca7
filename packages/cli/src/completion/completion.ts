/** Scripts that complete commands and options in a shell, generated from the command table. */
import { HELP_OPTION, type CommandDescription, type Option } from "../command/command.ts";

export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];

/** Returns the script of a shell for all commands of the program. */
export function completionScript(shell: Shell, commands: readonly CommandDescription[]): string {
  if (shell === "fish") return fishScript(commands);
  const script = bashScript(commands);
  return shell === "bash" ? script : `autoload -Uz compinit bashcompinit\ncompinit\nbashcompinit\n${script}`;
}

/** Returns the words that follow each group of commands: `admin invites` to `create`, `list`, and the empty group to all. */
function wordsOfGroups(commands: readonly CommandDescription[]): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const { name } of commands) {
    const words = name.split(" ");
    for (const [depth, word] of words.entries()) {
      const group = words.slice(0, depth).join(" ");
      groups.set(group, [...new Set([...(groups.get(group) ?? []), word])]);
    }
  }
  return groups;
}

function optionsOf({ options }: CommandDescription): [name: string, option: Option][] {
  return Object.entries({ ...options, ...HELP_OPTION });
}

/** Lists the words of a command line after the program that name a command, then what may follow. For bash 3.2 and newer. */
function bashScript(commands: readonly CommandDescription[]): string {
  const words = [
    ...[...wordsOfGroups(commands)].map(([group, names]) => [group, names.join(" ")]),
    ...commands.map((each) => [
      each.name,
      optionsOf(each)
        .map(([name]) => `--${name}`)
        .join(" "),
    ]),
  ];
  const choices = commands.flatMap((command) =>
    optionsOf(command).flatMap(([name, option]) =>
      option.choices === undefined ? [] : [[`${command.name} --${name}`, option.choices.join(" ")]],
    ),
  );
  const cases = (rows: readonly string[][]) => rows.map(([of, each]) => `    "${of}") echo "${each}" ;;`).join("\n");
  return `_kernelbot_words() {
  case "$1" in
${cases(words)}
  esac
}
_kernelbot_choices() {
  case "$1" in
${cases(choices)}
  esac
}
_kernelbot() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" command="" word next words at
  for ((at = 1; at < COMP_CWORD; at++)); do
    word="\${COMP_WORDS[at]}"
    next="\${command:+$command }$word"
    [ -n "$(_kernelbot_words "$next")" ] || break
    command="$next"
  done
  words="$(_kernelbot_choices "$command $previous")"
  [ -n "$words" ] || words="$(_kernelbot_words "$command")"
  # The arguments of a command are files, unless an option was begun.
  case "$words/$current" in --*/-*) ;; --*) words="" ;; esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _kernelbot kernelbot
`;
}

function fishScript(commands: readonly CommandDescription[]): string {
  const about = new Map(commands.map((each) => [each.name, each.about]));
  const names = [...wordsOfGroups(commands)].flatMap(([group, words]) =>
    words.map((word) => {
      const path = [group, word].filter(Boolean).join(" ");
      return `complete -c kernelbot -n ${fishText(`__kernelbot_at ${fishText(group)}`)} -f -a ${word} -d ${fishText(about.get(path) ?? "Commands")}`;
    }),
  );
  const options = commands.flatMap((command) =>
    optionsOf(command).map(([name, { type, short, choices, help }]) => {
      const value = type === "boolean" ? "" : choices === undefined ? " -r" : ` -x -a ${fishText(choices.join(" "))}`;
      const letter = short === undefined ? "" : ` -s ${short}`;
      return `complete -c kernelbot -n ${fishText(`__kernelbot_in ${fishText(command.name)}`)} -l ${name}${letter}${value} -d ${fishText(help)}`;
    }),
  );
  return `function __kernelbot_words
    set -l words (commandline -opc)
    string join ' ' -- $words[2..-1]
end
function __kernelbot_at
    test (__kernelbot_words) = "$argv[1]"
end
function __kernelbot_in
    string match -q -- "$argv[1] *" (__kernelbot_words)' '
end
${[...names, ...options].join("\n")}
`;
}

function fishText(text: string): string {
  return `'${text.replaceAll(/[\\']/g, "\\$&")}'`;
}
