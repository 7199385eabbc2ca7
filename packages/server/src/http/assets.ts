/**
 * Serves the pages' scripts, styles and fonts from memory. File names contain a content hash, so browsers may cache
 * them permanently.
 */
import { ENCODINGS } from "@kernelbot/web";
import type { Context } from "hono";
import { accepts } from "hono/accepts";
import { page, type PageRoute } from "./page.ts";

/** For an address whose content never changes. */
const CACHE_PERMANENTLY = "public, max-age=31536000, immutable";

export const assetRoutes: readonly PageRoute[] = [
  page({
    path: "/assets/:name",
    access: "anyone",
    async handle({ c, services: { assets } }) {
      const asset = assets.files.get(c.req.path);
      if (asset === undefined) return c.notFound();
      const headers = { "content-type": asset.type, "cache-control": CACHE_PERMANENTLY, vary: "accept-encoding" };
      const encoding = asset.encoded === null ? undefined : encodingOf(c);
      if (encoding === undefined || asset.encoded === null) return c.body(asset.bytes, 200, headers);
      return c.body(await asset.encoded(encoding), 200, { ...headers, "content-encoding": encoding });
    },
  }),
];

/** Returns the preferred encoding that the browser accepts; undefined for none. */
function encodingOf(c: Context): (typeof ENCODINGS)[number] | undefined {
  const best = accepts(c, {
    header: "Accept-Encoding",
    supports: [...ENCODINGS],
    default: "identity",
    match: (offered, { supports }) =>
      supports.find((each) => offered.some(({ type, q }) => type === each && q > 0)) ?? "identity",
  });
  return ENCODINGS.find((each) => each === best);
}
