/** The documentation at /docs: its start page with a search, its pages, and the files that they link to. */
import { KernelBotError, quote } from "@kernelbot/core";
import {
  documentationIndexPage,
  documentationPage,
  documentationSearchPage,
  type DocumentationPage,
} from "@kernelbot/web";
import { z } from "zod";
import { page, type PageRoute } from "../../http/page.ts";
import type { Services } from "../../services.ts";
import { getDocumentation } from "../documentation.ts";

export const documentationPages: readonly PageRoute[] = [
  page({
    path: "/docs",
    access: "viewer",
    query: z.object({ q: z.string().trim().max(200).default("") }),
    async handle({ query: { q }, services, visit }) {
      const documentation = await getDocumentation();
      const isShown = isShownBy(services);
      const pages = [...documentation.pages.values()].filter(isShown);
      if (q === "") return documentationIndexPage({ pages, visit });
      return documentationSearchPage({ query: q, ...documentation.search(q, isShown), pages, visit });
    },
  }),

  page({
    path: "/docs/:path{.+}",
    access: "viewer",
    params: z.object({ path: z.string() }),
    async handle({ c, params: { path }, services, visit }) {
      const { pages, files } = await getDocumentation();
      const isShown = isShownBy(services);
      const open = pages.get(path);
      if (open !== undefined && isShown(open)) {
        return documentationPage({ open, pages: [...pages.values()].filter(isShown), visit });
      }
      const file = files.get(path);
      if (file !== undefined) return c.body(file.bytes, 200, { "content-type": file.type });
      throw new KernelBotError("not_found", `the documentation has no page ${quote(path)}: /docs lists all pages`);
    },
  }),
];

/** Returns a predicate for the pages of a server: those of features that are switched off do not exist. */
function isShownBy({ switchedOff }: Services): (page: DocumentationPage) => boolean {
  return ({ feature }) => feature === null || !switchedOff.has(feature);
}
