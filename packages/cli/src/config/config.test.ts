import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { readSettings, serverAddress } from "./config.ts";

const home = mkdtempSync(join(tmpdir(), "kernelbot-config-"));
const env = { XDG_CONFIG_HOME: home };
afterEach(() => rmSync(join(home, "kernelbot"), { recursive: true, force: true }));

function store(text: string) {
  mkdirSync(join(home, "kernelbot"), { recursive: true });
  writeFileSync(join(home, "kernelbot/config.toml"), text);
}

test("the server is that of this machine until somebody says otherwise", async () => {
  expect(await readSettings(undefined, env)).toEqual({ server: "http://127.0.0.1:8080", token: undefined });
});

test("the option comes before the environment, and the environment before the file", async () => {
  store('server = "http://file"\ntoken = "from-file"\n');
  const both = { ...env, KERNELBOT_SERVER: "http://environment", KERNELBOT_TOKEN: "from-environment" };
  expect((await readSettings("http://option", both)).server).toBe("http://option");
  expect(await readSettings(undefined, both)).toEqual({ server: "http://environment", token: "from-environment" });
  expect(await readSettings(undefined, env)).toEqual({ server: "http://file", token: "from-file" });
});

test("a stored token is shown to no server but its own", async () => {
  store('server = "http://file"\ntoken = "from-file"\n');
  expect((await readSettings("http://other", env)).token).toBeUndefined();
  expect((await readSettings("http://FILE/", env)).token).toBe("from-file");
});

test("a file that is not TOML is named with the reason", async () => {
  store("server = \n");
  await expect(readSettings(undefined, env)).rejects.toThrow(/config\.toml is not TOML \(.+\); mend it, or delete it/);
});

test("an address is kept without its last slash, and must be one of http", () => {
  expect(serverAddress("https://Board.example/kernels/")).toBe("https://board.example/kernels");
  expect(() => serverAddress("ftp://x")).toThrow(/"ftp:\/\/x" is not a server's address/);
});
