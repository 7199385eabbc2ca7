/**
 * Serves pictures of shared links. A request is checked against the page that the picture is of, as everyone sees it now:
 * the picture is drawn if the page shows it; if the page shows another one, the response leads there.
 */
import type { Context, Hono } from "hono";
import type { HttpEnv } from "../services.ts";
import type { PageRoute } from "./page.ts";

const PATH = "/pictures/:name{[A-Za-z0-9_-]+\\.png}";
const IMAGE = /<meta property="og:image" content="([^"]+)"/;
/** Headers that a page may depend on and that an anonymous browser does not send. */
const PRIVATE = ["authorization", "cookie", "x-popcorn-cli-id", "x-web-auth-id", "accept-encoding", "if-none-match"];

export const pictureRoutes: readonly PageRoute[] = [
  {
    method: "get",
    path: PATH,
    access: "anyone",
    mount(app, { pictures }) {
      app.get(PATH, async (c) => {
        c.header("cache-control", "no-cache");
        const image = await findImage(app, c);
        if (image === null) return c.notFound();
        if (image.pathname !== c.req.path) return c.redirect(image.pathname + image.search);
        const content = c.req.param("name").slice(0, -".png".length);
        return c.body(pictures.draw(content), 200, { "content-type": "image/png" });
      });
    },
  },
];

/** Returns the address of the picture of a page; null if the page is not public. */
async function findImage(app: Hono<HttpEnv>, c: Context<HttpEnv>): Promise<URL | null> {
  const headers = new Headers(c.req.raw.headers);
  for (const name of PRIVATE) headers.delete(name);
  headers.set("accept", "text/html");
  const page = c.req.query("page") ?? "";
  if (!page.startsWith("/")) return null;
  const response = await app.request(new URL(c.req.url).origin + page, { headers }, c.env);
  if (response.status !== 200 || response.headers.get("content-type")?.startsWith("text/html") !== true) {
    await response.body?.cancel();
    return null;
  }
  const [, address = ""] = IMAGE.exec(await response.text()) ?? [];
  return URL.parse(address);
}
