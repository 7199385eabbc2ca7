/** Helpers for the tests of all kinds of launchers. */
import { mkdtempSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { inject } from "vitest";
import { openLauncher, parseLaunchers } from "@kernelbot/server/src/integrations/launchers/config.ts";
import type { Launcher, LaunchRequest } from "@kernelbot/server/src/integrations/launchers/launcher.ts";

export const ORDER: LaunchRequest = {
  name: "kernelbot-0123456789ab",
  target: "H100",
  server: "https://kernels.example.org",
  token: "kb_of-this-launch",
  idleS: 120,
  endsBy: new Date("2030-01-01T12:00:00Z"),
  hardLimitS: 7200,
};

export const SIGNAL = new AbortController().signal;

/** Expected arguments of the runner for ORDER. */
export const ARGUMENTS = [
  ...["--server", "https://kernels.example.org", "--target", "H100", "--name", ORDER.name],
  ...["--end-when-idle", "120", "--end-at", "2030-01-01T12:00:00.000Z"],
];

/** Opens the launcher of a configuration whose first line (the table header) is prepended. */
export function launcherOf(toml: string, heard: string[] = []): Promise<Launcher> {
  const [config] = parseLaunchers(`[launchers.test]\n${toml}`, "launchers.toml");
  if (config === undefined) throw new Error("the configuration contains no launcher");
  return openLauncher(config, (line) => void heard.push(line));
}

/** Creates a file with this content; returns its path. */
export function fileWith(content: string): string {
  const path = join(mkdtempSync(join(inject("scratch"), "secret-")), "file");
  writeFileSync(path, content, { mode: 0o600 });
  return path;
}

export interface Asked {
  method: string;
  /** Path and query. */
  path: string;
  headers: IncomingMessage["headers"];
  body: unknown;
}

/** Starts an HTTP service that responds with JSON and records requests. */
export async function fakeService(answer: (received: Asked) => { status: number; body?: unknown }) {
  const requests: Asked[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const { method = "", url: path = "", headers } = request;
      const what = { method, path, headers, body: body === "" ? undefined : (JSON.parse(body) as unknown) };
      requests.push(what);
      const { status, body: reply } = answer(what);
      response.writeHead(status, { "content-type": "application/json" });
      response.end(reply === undefined ? "" : JSON.stringify(reply));
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { url, requests, close, [Symbol.dispose]: close };
}
