import { THEMES, type Role } from "@kernelbot/core";
import type { Island } from "../assets/asset-files.ts";
import { html, type Html } from "../html.ts";
import { INSTALL_URL } from "./commands.ts";
import { guideTo } from "./guides.ts";
import type { Picture } from "../preview/picture.ts";
import type { Viewer, Visit } from "./page-context.ts";

interface PageOptions {
  title: string;
  body: Html;
  visit: Visit;
  /** Scripts of this page in addition to `site`. */
  islands?: readonly Island[];
  /** Omits header and footer, for a public display. */
  isBare?: boolean;
  /** Description of the page for link previews, which show it and the title in a picture. */
  description?: string;
  /** Line in this picture. */
  trend?: Picture["trend"];
  /** URL of the guide to the page; by default the one that `guides.ts` names. */
  guide?: string | undefined;
  /** Atom feed that follows the page. */
  feed?: PageFeed | undefined;
  /**
   * ID of the element that the browser must have parsed before its first paint, so that it contains the main content.
   */
  paintAfter?: string | undefined;
}

export interface PageFeed {
  path: string;
  title: string;
}

/** Renders a whole page around a body. */
export async function page({
  title,
  body,
  visit,
  islands = [],
  description,
  trend = [],
  guide,
  feed,
  paintAfter,
  isBare = false,
}: PageOptions): Promise<string> {
  const { assets, theme } = visit;
  const fullTitle = title === "KernelBot" ? title : `${title} · KernelBot`;
  const text = await html`<!doctype html>
    <html lang="en" ${theme === null ? null : html`data-theme="${theme}"`}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="${theme ?? "light dark"}" />
        <title>${fullTitle}</title>
        ${preview({ title, text: description ?? "", trend }, fullTitle, visit)}
        ${feed === undefined ? null : html`<link rel="alternate" type="application/atom+xml" title="${feed.title}" href="${feed.path}" />`}
        <link rel="icon" href="${assets.icon}" type="image/svg+xml" />
        ${assets.fonts.map(
          // Without `crossorigin` a browser would load them twice: fonts are fetched without credentials.
          (font) => html`<link rel="preload" href="${font}" as="font" type="font/woff2" crossorigin />`,
        )}
        <link rel="stylesheet" href="${assets.style}" />
        ${paintAfter === undefined ? null : html`<link rel="expect" href="#${paintAfter}" blocking="render" />`}
        ${["site" as const, ...islands].map(
          (island) => html`<script type="module" src="${assets.islands[island]}"></script>`,
        )}
      </head>
      ${
        isBare
          ? html`<body class="bare">
              <main id="main">${body}</main>
            </body>`
          : framed(body, visit, guide)
      }
    </html>`;
  return text.toString();
}

/** Renders what services show of a shared link (Open Graph, which X, Discord and Slack read). */
function preview(picture: Picture, title: string, { origin, path, assets, picturePath }: Visit): Html {
  const { text } = picture;
  const [page = ""] = path.split("?");
  const image = text === "" || picturePath === null ? assets.preview : picturePath(picture);
  return html`<meta property="og:site_name" content="KernelBot" />
    <meta property="og:type" content="website" />
    <meta property="og:url" content="${origin + page}" />
    <meta property="og:title" content="${title}" />
    <meta property="og:image" content="${origin + image}" />
    <meta property="og:image:type" content="image/png" />
    <meta property="og:image:width" content="1200" />
    <meta property="og:image:height" content="630" />
    <meta property="og:image:alt" content="${text === "" ? title : `${picture.title}: ${text}`}" />
    <meta name="twitter:card" content="summary_large_image" />
    ${
      text === ""
        ? null
        : html`<meta name="description" content="${text}" /> <meta property="og:description" content="${text}" />`
    }`;
}

function framed(body: Html, visit: Visit, guide = guideTo(visit.path)): Html {
  return html`<body>
    <a class="skip" href="#main">Skip to the content</a>
    <header class="top">
      <a href="/" class="home">KernelBot</a>
      <nav aria-label="Site">${navigation(visit)}</nav>
      ${guide === null ? null : html`<a href="${guide}" class="guide">Guide</a>`} ${account(visit)}
    </header>
    <main id="main">${body}</main>
    <footer class="bottom">
      <p>
        Times are in UTC; hover over one for your local time. <a href="/docs">Documentation</a> ·
        <a href="/status">Status</a> · <a href="${INSTALL_URL}">Install kernelbot</a> ·
        <a href="/api/v1/openapi.json">API</a>
      </p>
      ${themeForm(visit)}
    </footer>
  </body>`;
}

/** Sections of the site from left to right, and the viewers who see them. */
const SECTIONS: readonly { path: string; name: string; isVisibleTo: (viewer: Viewer | null) => boolean }[] = [
  { path: "/", name: "Competitions", isVisibleTo: () => true },
  { path: "/problems", name: "Problems", isVisibleTo: () => true },
  { path: "/kernelbench", name: "KernelBench", isVisibleTo: () => true },
  { path: "/data", name: "Data", isVisibleTo: () => true },
  { path: "/queue", name: "Queue", isVisibleTo: () => true },
  { path: "/submissions", name: "Submissions", isVisibleTo: (viewer) => viewer !== null },
  { path: "/moderation", name: "Moderation", isVisibleTo: has("moderator") },
  { path: "/admin", name: "Administration", isVisibleTo: has("organiser") },
];

function has(role: Role): (viewer: Viewer | null) => boolean {
  return (viewer) => viewer !== null && (viewer.roles.includes(role) || viewer.roles.includes("administrator"));
}

function navigation({ viewer, path }: Visit): Html[] {
  const [here = ""] = path.split("?");
  return SECTIONS.filter(({ isVisibleTo }) => isVisibleTo(viewer)).map(
    (section) => html`<a href="${section.path}" ${current(section.path, here)}>${section.name}</a>`,
  );
}

/**
 * Returns the attribute `aria-current` for a link to `path`: `page` on that page, `true` on pages below it, else null.
 */
export function current(path: string, here: string): Html | null {
  if (here === path) return html`aria-current="page"`;
  return path !== "/" && here.startsWith(`${path}/`) ? html`aria-current="true"` : null;
}

function account({ viewer, path, next }: Visit): Html {
  if (viewer !== null) return html`<a href="/account" class="account-link">${viewer.name}</a>`;
  // On the sign-in page itself, the link keeps the page to return to.
  const isSignIn = /^\/sign-in(?:\?|$)/.test(path);
  const query = next === "/" || next.startsWith("/sign-in/") ? "" : `?next=${encodeURIComponent(next)}`;
  return html`<a href="${isSignIn ? path : `/sign-in${query}`}" class="account-link">Sign in</a>`;
}

function themeForm({ theme, next }: Visit): Html {
  return html`<form method="post" action="/theme" class="themes" aria-label="Colour theme">
    <input type="hidden" name="next" value="${next}" />
    ${[null, ...THEMES].map(
      (each) =>
        html`<button name="theme" value="${each ?? "system"}" aria-pressed="${each === theme ? "true" : "false"}">
          ${each ?? "system"}
        </button>`,
    )}
  </form>`;
}
