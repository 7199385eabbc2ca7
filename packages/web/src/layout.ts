import { html, type Html } from "./html.ts";

/** Addresses of what pages load besides themselves; `assets.ts` has the contents. */
export const ASSET_PATHS = { style: "/assets/style.css", live: "/assets/live.js", icon: "/assets/icon.svg" } as const;

/** Who is signed in in the browser. */
export interface Viewer {
  name: string;
}

export interface PageOptions {
  title: string;
  body: Html;
  /** Null where nobody is signed in. */
  viewer: Viewer | null;
  /** Loads the island that keeps the parts marked `data-live` up to date. */
  live?: boolean;
}

/** A whole page: what all of them share around the body. */
export async function page({ title, body, viewer, live = false }: PageOptions): Promise<string> {
  const text = await html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title === "KernelBot" ? title : `${title} · KernelBot`}</title>
        <link rel="icon" href="${ASSET_PATHS.icon}" type="image/svg+xml" />
        <link rel="stylesheet" href="${ASSET_PATHS.style}" />
        ${live ? html`<script type="module" src="${ASSET_PATHS.live}"></script>` : null}
      </head>
      <body>
        <header>
          <a href="/" class="home">KernelBot</a>
          ${viewer === null ? html`<a href="/sign-in">Sign in</a>` : html`<a href="/account" class="who">${viewer.name}</a>`}
        </header>
        <main>${body}</main>
        <footer>
          <p>Times are in UTC. <a href="/api/v1/openapi.json">API</a></p>
        </footer>
      </body>
    </html>`;
  return text.toString();
}
