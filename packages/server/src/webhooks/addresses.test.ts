import { createSocket } from "node:dgram";
import type { LookupAddress } from "node:dns";
import { once } from "node:events";
import { expect, test } from "vitest";
import { openReceiver } from "@kernelbot/testing/receiver.ts";
import { parseWebhookUrl, isPublic, nameServers, type Resolver } from "./addresses.ts";
import { send } from "./send.ts";

test.each([
  "8.8.8.8",
  "1.1.1.1",
  "172.15.255.255",
  "172.32.0.1",
  "223.255.255.255",
  "2606:4700:4700::1111",
  "2a00:1450:4001::1",
])("%s is public", (address) => expect(isPublic(address)).toBe(true));

test.each([
  "0.0.0.0",
  "10.0.0.1",
  "100.64.0.1",
  "127.0.0.1",
  "127.255.255.255",
  "168.63.129.16",
  "169.254.169.254",
  "172.16.0.1",
  "172.31.255.255",
  "192.0.0.192",
  "192.168.1.1",
  "198.18.0.1",
  "224.0.0.1",
  "240.0.0.1",
  "255.255.255.255",
  "::",
  "::1",
  "::ffff:127.0.0.1",
  "::ffff:8.8.8.8",
  "::ffff:a9fe:a9fe",
  "::127.0.0.1",
  "64:ff9b::7f00:1",
  "64:ff9b:1::1",
  "100::1",
  "2001::1",
  "2001:db8::1",
  "2002:7f00:1::1",
  "3fff::1",
  "fc00::1",
  "fd00:ec2::254",
  "fe80::1",
  "2606:4700::1%eth0",
  "fec0::1",
  "ff02::1",
  "localhost",
])("%s is not public", (address) => expect(isPublic(address)).toBe(false));

test.each([
  ["http://example.org/hook", "use https"],
  ["ftp://example.org/hook", "is not a valid URL such as"],
  ["https://ann:secret@example.org/", "must not contain a user name or password"],
  ["https://example.org:25/", "use port 443"],
  ["https://127.0.0.1/", "is not a public address"],
  ["https://2130706433/", "is not a public address"],
  ["https://0x7f.1/", "is not a public address"],
  ["https://0177.0.0.1/", "is not a public address"],
  ["https://[::1]/", "is not a public address"],
  ["https://[::ffff:10.0.0.1]/", "is not a public address"],
  ["https://169.254.169.254/latest/meta-data/", "is not a public address"],
])("rejects the URL %s", (url, why) => {
  expect(() => parseWebhookUrl(url, { allowPrivate: false })).toThrow(why);
});

/** Returns a resolver that returns these addresses in turn, and then always the last ones. */
function resolver(...answers: string[][]): Resolver & { lookups: number } {
  const fake: Resolver & { lookups: number } = Object.assign(
    (_name: string, _options: object, callback: (error: null, addresses: LookupAddress[]) => void) => {
      const answer = answers[Math.min(fake.lookups, answers.length - 1)] ?? [];
      fake.lookups += 1;
      callback(
        null,
        answer.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
      );
    },
    { lookups: 0 },
  );
  return fake;
}

test.each([[["127.0.0.1"]], [["::1"]], [["::ffff:127.0.0.1"]], [["169.254.169.254"]], [["8.8.8.8", "127.0.0.1"]]])(
  "a name that resolves to %j is not connected to",
  async (addresses) => {
    await using receiver = await openReceiver();
    const url = `https://hook.example:${receiver.port}/`;
    const fake = resolver(addresses);
    const { error, status } = await send(url, {}, "{}", { allowPrivate: false, resolver: fake });
    expect(error).toContain('"hook.example" is not a public address');
    expect({ status, lookups: fake.lookups, received: receiver.received }).toEqual({
      status: null,
      lookups: 1,
      received: [],
    });
  },
);

test("a name is resolved once per try, and the socket connects to the checked address", async () => {
  await using receiver = await openReceiver();
  // A second lookup would return an address where nothing listens.
  const fake = resolver(["127.0.0.1"], ["127.0.0.2"]);
  const url = `http://hook.example:${receiver.port}/`;
  expect(await send(url, {}, "{}", { allowPrivate: true, resolver: fake })).toMatchObject({ status: 204, error: null });
  expect(fake.lookups).toBe(1);
  expect(receiver.received[0]?.headers.host).toBe(`hook.example:${receiver.port}`);
});

test("an IP literal, which needs no lookup, is rejected when sending", async () => {
  await using receiver = await openReceiver();
  const url = receiver.url.replace("http:", "https:");
  const { error } = await send(url, {}, "{}", { allowPrivate: false, resolver: resolver([]) });
  expect(error).toContain("is not a public address");
  expect(receiver.received).toEqual([]);
});

test("queries name servers for IPv4 and IPv6 addresses", async () => {
  await using server = await nameServer();
  await using receiver = await openReceiver();
  const answer = await new Promise((resolve) =>
    nameServers([server.address])("hook.example", { all: true }, (error, addresses) => resolve({ error, addresses })),
  );
  const addresses = [
    { address: "127.0.0.1", family: 4 },
    { address: "::1", family: 6 },
  ];
  expect(answer).toEqual({ error: null, addresses });
  const url = `https://hook.example:${receiver.port}/`;
  const { error } = await send(url, {}, "{}", { allowPrivate: false, resolver: nameServers([server.address]) });
  expect(error).toContain("is not a public address");
  const none = await send(url.replace("hook", "no"), {}, "{}", {
    allowPrivate: false,
    resolver: nameServers([server.address]),
  });
  expect(none.error).toContain("ENOTFOUND");
});

/** Starts a name server that resolves every name that begins with `h` to this machine, and no other name. */
async function nameServer() {
  const socket = createSocket("udp4", (query, from) => {
    const end = query.indexOf(0, 12) + 5;
    const question = query.subarray(12, end);
    const isV4 = question.readUInt16BE(question.length - 4) === 1;
    const known = question[1] === "h".charCodeAt(0);
    // RFC 1035, 4.1: a response with an error code, or with one record that points back to the name in the question.
    const header = Buffer.from([
      ...query.subarray(0, 2),
      0x81,
      known ? 0x80 : 0x83,
      0,
      1,
      0,
      known ? 1 : 0,
      0,
      0,
      0,
      0,
    ]);
    const address = isV4 ? [127, 0, 0, 1] : [...Array<number>(15).fill(0), 1];
    const record = [0xc0, 12, 0, isV4 ? 1 : 28, 0, 1, 0, 0, 0, 0, 0, address.length, ...address];
    socket.send(Buffer.concat([header, question, Buffer.from(known ? record : [])]), from.port, from.address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return {
    address: `127.0.0.1:${socket.address().port}`,
    async [Symbol.asyncDispose]() {
      socket.close();
      await once(socket, "close");
    },
  };
}
