import { defineRequest } from "../request/request.ts";
import { listed } from "../output/text.ts";

export const command = defineRequest({
  name: "join",
  positionals: ["CODE|URL"],
  notes: ["Takes an invite code, or the URL of an invite."],
  request: ({ client }, _, code) => client.join(code.slice(code.lastIndexOf("/") + 1)),
  lines: ({ competitions }) => [`You have joined ${listed(competitions)}.`],
});
