/** Fake browser, which stores cookies and sends an Origin header. */
import type { TestServer } from "./server-with-problems.ts";

export interface FakeBrowser {
  cookies: Map<string, string>;
  get(path: string, headers?: Record<string, string>): Promise<Response>;
  /** Submits a form from one of the site's own pages, unless the headers say otherwise. */
  post(
    path: string,
    fields?: Record<string, string> | URLSearchParams,
    headers?: Record<string, string>,
  ): Promise<Response>;
}

/** Origin of a test server that does not listen. */
export const HERE = "http://localhost";

export function fakeBrowser(testServer: TestServer): FakeBrowser {
  const cookies = new Map<string, string>();

  async function ask(path: string, init: RequestInit): Promise<Response> {
    const headers = new Headers(init.headers);
    headers.set("accept", "text/html");
    headers.set("cookie", Array.from(cookies, ([name, value]) => `${name}=${value}`).join("; "));
    const response = await testServer.ask(path, undefined, { ...init, headers });
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === "") cookies.delete(name);
      else cookies.set(name, value);
    }
    return response;
  }

  return {
    cookies,
    get: (path, headers = {}) => ask(path, { headers }),
    post: (path, fields = {}, headers = { origin: HERE }) =>
      ask(path, { method: "POST", headers, body: new URLSearchParams(fields) }),
  };
}
