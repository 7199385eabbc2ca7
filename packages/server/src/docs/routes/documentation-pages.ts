/** The documentation at /docs: its start page with a search, its pages, and the files that they link to. */
import { KernelBotError, quote } from "@kernelbot/core";
import { documentationIndexPage, documentationPage, documentationSearchPage } from "@kernelbot/web";
import { z } from "zod";
import { page, type PageRoute } from "../../http/page.ts";
import { getDocumentation } from "../documentation.ts";

export const documentationPages: readonly PageRoute[] = [
  page({
    path: "/docs",
    access: "viewer",
    query: z.object({ q: z.string().trim().max(200).default("") }),
    async handle({ query: { q }, visit }) {
      const documentation = await getDocumentation();
      const pages = [...documentation.pages.values()];
      if (q === "") return documentationIndexPage({ pages, visit });
      return documentationSearchPage({ query: q, ...documentation.search(q), pages, visit });
    },
  }),

  page({
    path: "/docs/:path{.+}",
    access: "viewer",
    params: z.object({ path: z.string() }),
    async handle({ c, params: { path }, visit }) {
      const { pages, files } = await getDocumentation();
      const open = pages.get(path);
      if (open !== undefined) return documentationPage({ open, pages: [...pages.values()], visit });
      const file = files.get(path);
      if (file !== undefined) return c.body(file.bytes, 200, { "content-type": file.type });
      throw new KernelBotError("not_found", `the documentation has no page ${quote(path)}: /docs lists all pages`);
    },
  }),
];
