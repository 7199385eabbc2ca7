import { parseArgs } from "node:util";
import { expect, test } from "vitest";
import { flagConfig, formatOptions, formatReference } from "./program-options.ts";

const OPTIONS = {
  port: { argument: "PORT", environment: "X_PORT", default: "80", help: "port to listen on" },
  target: { argument: "NAME", repeatable: true, help: "target to serve, `a|b`" },
  help: { short: "h", help: "show this help" },
} as const;

test("definitions configure the parser of the command line", () => {
  const { values } = parseArgs({
    args: ["--port", "1", "--target", "a", "--target", "b", "-h"],
    options: flagConfig(OPTIONS),
  });
  const port: string | undefined = values.port;
  expect({ ...values, port }).toEqual({ port: "1", target: ["a", "b"], help: true });
});

test("the help text names the environment variable and the default", () => {
  expect(formatOptions(OPTIONS).split("\n")).toEqual([
    "  --port PORT            port to listen on (X_PORT; default 80)",
    "  --target NAME          target to serve, `a|b`",
    "  -h, --help             show this help",
  ]);
});

test("an explanation that is longer than a line continues below itself", () => {
  const lines = formatOptions({ "a-very-long-option-name": { help: "word ".repeat(30).trim() } }).split("\n");
  expect(lines[0]).toBe("  --a-very-long-option-name");
  expect(lines.slice(1).every((line) => line.startsWith(`${" ".repeat(25)}word`) && line.length <= 120)).toBe(true);
});

test("the reference is a table for each section", () => {
  expect(
    formatReference([
      { title: "Server", options: OPTIONS, variables: { X_LOG: { default: "warn", help: "log level" } } },
    ]),
  ).toBe(`## Server

| option | environment variable | default | meaning |
|---|---|---|---|
| \`--port PORT\` | \`X_PORT\` | 80 | port to listen on |
| \`--target NAME\` (repeatable) |  |  | target to serve, \`a\\|b\` |
| \`--help\` |  |  | show this help |
|  | \`X_LOG\` | warn | log level |`);
});
