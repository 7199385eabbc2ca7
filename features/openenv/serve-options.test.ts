import { readCommand } from "@kernelbot/server/src/config.ts";
import { expect, test } from "vitest";

function sessions(args: string[], env: NodeJS.ProcessEnv = {}): number | null {
  const command = readCommand(["serve", ...args], env);
  return command.name === "serve" ? command.options.openenvSessions : null;
}

test("a server has 256 OpenEnv sessions, unless an option or a variable says another number", () => {
  expect(sessions([])).toBe(256);
  expect(sessions([], { KERNELBOT_OPENENV_SESSIONS: "8" })).toBe(8);
  expect(sessions(["--openenv-sessions", "9"], { KERNELBOT_OPENENV_SESSIONS: "8" })).toBe(9);
});

test("an invalid number of sessions is refused together with other invalid options, unless the feature is off", () => {
  expect(() => sessions(["--openenv-sessions", "0", "--port", "x"])).toThrow(
    "--port: use a number; --openenv-sessions: use a whole number from 1 to 999999",
  );
  expect(() => sessions(["--openenv-sessions", "0", "--without", "openenv"])).not.toThrow();
});
