import { defineRequest } from "../request/request.ts";
import { listed } from "../output/text.ts";

export const command = defineRequest({
  name: "whoami",
  request: async ({ server, client }) => ({ server, account: await client.account() }),
  lines: ({ server, account: { name, roles, scopes, banReason } }, { style }) => [
    `${style.bold(name)} at ${server}`,
    ...(roles.length > 0 ? [`Roles: ${listed(roles)}`] : []),
    `Token scopes: ${listed(scopes)}`,
    ...(banReason === null ? [] : [style.red(`The account is banned: ${banReason}. It can only read.`)]),
  ],
});
