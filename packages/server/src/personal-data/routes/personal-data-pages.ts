/** Pages that export and erase an account: by its owner, and by administrators on request. */
import { adminErasurePage, erasurePage } from "@kernelbot/web";
import { z } from "zod";
import { readAccount } from "../../auth/accounts.ts";
import { dropCookie, SESSION_COOKIE } from "../../http/cookies.ts";
import { form, page, type PageRoute } from "../../http/page.ts";
import { eraseAccount, eraseOwnAccount, previewErasure, previewOwnErasure } from "../erase.ts";
import { exportAccount, exportOwnAccount } from "../export.ts";
import { sendExport } from "./personal-data.ts";

const Address = z.object({ id: z.string().max(200) });
const Fields = z.object({ name: z.string(), results: z.literal("remove").optional() });

function toRequest({ name, results }: z.infer<typeof Fields>) {
  return { name: name.trim(), removeResults: results === "remove" };
}

const own = page({
  path: "/account/erase",
  access: "signed-in",
  async handle({ services, identity, visit, rejected }) {
    const preview = await previewOwnErasure(services, identity);
    return erasurePage({ visit, preview, problem: rejected?.problem });
  },
});

const other = page({
  path: "/admin/accounts/:id/erase",
  access: "administrator",
  params: Address,
  async handle({ services, identity, params: { id }, visit, rejected }) {
    const { name } = await readAccount(services.database, identity, id);
    const preview = await previewErasure(services, identity, name);
    return adminErasurePage({ visit, preview, problem: rejected?.problem });
  },
});

export const personalDataPages: readonly PageRoute[] = [
  page({
    path: "/account/export",
    access: "signed-in",
    handle: async ({ c, services, identity }) => sendExport(c, await exportOwnAccount(services, identity)),
  }),

  own,

  form({
    path: "/account/erase",
    on: own,
    fields: Fields,
    async handle({ c, services, identity, fields }) {
      await eraseOwnAccount(services, identity, toRequest(fields));
      dropCookie(c, services, SESSION_COOKIE);
      return "/";
    },
  }),

  other,

  form({
    path: "/admin/accounts/:id/erase",
    on: other,
    fields: Fields,
    async handle({ services, identity, params: { id }, fields }) {
      const { name } = await readAccount(services.database, identity, id);
      await eraseAccount(services, identity, name, toRequest(fields));
      return `/admin/accounts/${encodeURIComponent(id)}`;
    },
  }),

  form({
    path: "/admin/accounts/:id/export",
    access: "administrator",
    params: Address,
    async handle({ c, services, identity, params: { id } }) {
      const { name } = await readAccount(services.database, identity, id);
      return sendExport(c, await exportAccount(services, identity, name));
    },
  }),
];
