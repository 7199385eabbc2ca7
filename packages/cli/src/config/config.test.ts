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

test("the default server is on this machine", async () => {
  expect(await readSettings(undefined, env)).toEqual({
    server: "http://127.0.0.1:8080",
    token: undefined,
    isDefault: true,
  });
});

test("the option takes precedence over the environment, and the environment over the file", async () => {
  store('server = "http://file"\ntoken = "from-file"\n');
  const both = { ...env, KERNELBOT_SERVER: "http://environment", KERNELBOT_TOKEN: "from-environment" };
  expect((await readSettings("http://option", both)).server).toBe("http://option");
  expect(await readSettings(undefined, both)).toEqual({
    server: "http://environment",
    token: "from-environment",
    isDefault: false,
  });
  expect(await readSettings(undefined, env)).toEqual({ server: "http://file", token: "from-file", isDefault: false });
});

test("a stored token is sent to its own server only", async () => {
  store('server = "http://file"\ntoken = "from-file"\n');
  expect((await readSettings("http://other", env)).token).toBeUndefined();
  expect((await readSettings("http://FILE/", env)).token).toBe("from-file");
});

test("a file that is not valid TOML is reported with the reason", async () => {
  store("server = \n");
  await expect(readSettings(undefined, env)).rejects.toThrow(
    /config\.toml is not valid TOML \(.+\); fix it, or delete it/,
  );
});

test("an address is normalised without a trailing slash, and must be HTTP or HTTPS", () => {
  expect(serverAddress("https://Board.example/kernels/")).toBe("https://board.example/kernels");
  expect(() => serverAddress("ftp://x")).toThrow(/"ftp:\/\/x" is not a valid server address/);
});
