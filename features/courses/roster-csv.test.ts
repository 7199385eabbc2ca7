import { expect, test } from "vitest";
import { parseRoster } from "./roster-csv.ts";

test("reads names, addresses and groups, with quotes, other columns and a byte order mark", () => {
  const csv = '\ufeffId,Name,E-Mail,Group\r\n1,"Lovelace, Ada",Ada@Example.ORG,A\r\n\r\n2,Bob,bob@example.org,\r\n';
  expect(parseRoster(csv)).toEqual([
    { name: "Lovelace, Ada", email: "ada@example.org", group: "A" },
    { name: "Bob", email: "bob@example.org", group: null },
  ]);
});

test("ignores columns of any other name", () => {
  expect(parseRoster("name,constructor,email\nAda,x,ada@example.org\n")).toEqual([
    { name: "Ada", email: "ada@example.org", group: null },
  ]);
});

test.each([";", "\t"])("reads values separated by %j", (separator) => {
  const csv = ["name,email", "Ada,ada@example.org"].join("\n").replaceAll(",", separator);
  expect(parseRoster(csv)).toEqual([{ name: "Ada", email: "ada@example.org", group: null }]);
});

test.each([
  ["no header", "Ada,ada@example.org\n", /the first line must name the columns name, email/],
  ["no address", "name,email\nAda,\n", /line 2: "" is not a valid e-mail address/],
  ["no name", "name,email\n,ada@example.org\n", /line 2: name must have 1 to 200/],
  [
    "an address twice",
    "name,email\nAda,ada@example.org\nEve,ADA@example.org\n",
    /line 3: ada@example.org is also in line 2/,
  ],
  ["an open quote", 'name,email\n"Ada,ada@example.org\n', /invalid roster: Quote/],
  ["a missing column", "name,email\nAda\n", /invalid roster: Invalid Record Length/],
  ["too long a name", `name,email\n${"a".repeat(201)},ada@example.org\n`, /line 2: name must have 1 to 200/],
])("refuses a file with %s", (_, csv, message) => {
  expect(() => parseRoster(csv)).toThrow(message);
});
