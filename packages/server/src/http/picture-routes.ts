import { z } from "zod";
import { CACHE_PERMANENTLY } from "./assets.ts";
import { page, type PageRoute } from "./page.ts";

export const pictureRoutes: readonly PageRoute[] = [
  page({
    path: "/pictures/:name{[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+\\.png}",
    access: "anyone",
    params: z.object({ name: z.string() }),
    handle({ c, services: { pictures }, params: { name } }) {
      const [content = "", mac = ""] = name.split(".");
      const drawn = pictures.draw(content, mac);
      if (drawn === null) return c.notFound();
      return c.body(drawn, 200, { "content-type": "image/png", "cache-control": CACHE_PERMANENTLY });
    },
  }),
];
