/** Malformed HTTP: each connection is answered with an error or closed, and the next one is served. */
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestServer, type TestServer } from "@kernelbot/testing/server-with-problems.ts";

let testServer: TestServer;
beforeAll(async () => {
  testServer = await openTestServer({ listening: true });
});
afterAll(() => testServer[Symbol.asyncDispose]());

/** Sends the bytes and returns everything that the server sends until the connection ends. */
async function exchange(bytes: string): Promise<string> {
  const socket = connect(Number(new URL(testServer.url).port), "127.0.0.1");
  // A connection reset is a valid end.
  socket.on("error", () => undefined);
  socket.end(bytes, "latin1");
  return text(socket).catch(() => "");
}

const request = (line: string, ...headers: string[]): string =>
  [line, "host: here", "connection: close", ...headers, "", ""].join("\r\n");
const post = (...headers: string[]): string =>
  request("POST /user/join HTTP/1.1", "content-type: application/json", ...headers);

test.each([
  ["nothing", ""],
  ["noise", "\x00\x01\x02\xff\r\n\r\n"],
  ["the beginning of another protocol", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"],
  ["a line that never ends", `GET /${"a".repeat(100_000)}`],
  ["a path of 100,000 characters", request(`GET /${"a".repeat(100_000)} HTTP/1.1`)],
  ["an unknown method", request("KERNEL / HTTP/1.1")],
  ["an unknown version", request("GET / HTTP/9.9")],
  ["a path with a NUL", request("GET /\0 HTTP/1.1")],
  ["a path of non-text bytes", request("GET /gpus/\xff\xfe HTTP/1.1")],
  ["a broken percent-encoding", request("GET /gpus/%zz%c0%ae HTTP/1.1")],
  ["an absolute URL as path", request("GET http://elsewhere/healthz HTTP/1.1")],
  ["two slashes as path", request("GET //elsewhere/healthz HTTP/1.1")],
  ["an asterisk as path", request("OPTIONS * HTTP/1.1")],
  ["a CONNECT request", request("CONNECT elsewhere:443 HTTP/1.1")],
  ["an upgrade", request("GET / HTTP/1.1", "upgrade: websocket", "connection: upgrade")],
  ["no host", "GET /auth/init HTTP/1.1\r\nconnection: close\r\n\r\n"],
  ["two hosts", request("GET /auth/init HTTP/1.1", "host: there")],
  ["an invalid host", "GET /auth/init HTTP/1.1\r\nhost: a b[/\r\nconnection: close\r\n\r\n"],
  ["a header that is folded", request("GET / HTTP/1.1", "x-a: b", " c: d")],
  ["a header without a name", request("GET / HTTP/1.1", ": b")],
  ["a header with a NUL", request("GET / HTTP/1.1", "x-a: \0")],
  ["5,000 headers", request("GET / HTTP/1.1", ...Array.from({ length: 5_000 }, (_, index) => `x-${index}: 1`))],
  ["a token of non-text bytes", request("GET /leaderboards HTTP/1.1", "authorization: Bearer \xff\xfe")],
  ["an invalid length", post("content-length: -1")],
  ["two lengths", post("content-length: 2", "content-length: 3")],
  ["a length and chunks", post("content-length: 2", "transfer-encoding: chunked")],
  ["a body that is shorter than its length", `${post("content-length: 100")}{}`],
  ["a body that is longer than its length", `${post("content-length: 1")}{}{}{}`],
  ["a chunk without an end", `${post("transfer-encoding: chunked")}ffffffff\r\n{}`],
  ["a chunk with an invalid length", `${post("transfer-encoding: chunked")}zz\r\n{}\r\n0\r\n\r\n`],
  ["an unknown encoding", post("transfer-encoding: kernel")],
  ["an Expect header", post("expect: 200-ok", "content-length: 2")],
])("%s is rejected or closed, and the next request is served", async (_, bytes) => {
  const answer = await exchange(bytes);
  expect(answer).toMatch(/^$|^HTTP\/1\.1 [234]\d\d /);
  expect(answer).not.toMatch(/node:|node_modules|\.ts:\d|\n +at /);
  expect((await fetch(`${testServer.url}/healthz`)).status).toBe(200);
});
