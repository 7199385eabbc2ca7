import { defineCommand, type CommandDescription, type Runnable } from "../command/command.ts";
import { EXIT, UsageError } from "../command/exit.ts";
import { completionScript, SHELLS } from "../completion/completion.ts";

/** @param describe returns the definitions of all commands */
export function completion(describe: () => Promise<CommandDescription[]>): Runnable {
  return defineCommand({
    name: "completion",
    positionals: ["SHELL"],
    options: {},
    notes: [
      "SHELL is bash, zsh or fish. To complete commands and options in each new shell:\n" +
        "    echo 'source <(kernelbot completion bash)' >> ~/.bashrc\n" +
        "    echo 'source <(kernelbot completion zsh)' >> ~/.zshrc\n" +
        "    kernelbot completion fish > ~/.config/fish/completions/kernelbot.fish",
    ],
    run: async (_, text) => {
      const shell = SHELLS.find((each) => each === text);
      if (shell === undefined)
        throw new UsageError(`SHELL must be one of ${SHELLS.join(", ")}, not ${JSON.stringify(text)}`);
      process.stdout.write(completionScript(shell, await describe()));
      return EXIT.passed;
    },
  });
}
