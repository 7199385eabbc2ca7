/**
 * Where webhooks may lead. An address is a stranger's, and the server stands inside a network: without these rules it
 * would carry requests to the cloud's metadata, to the database's host, or to itself.
 */
import { lookup, type LookupAddress, type LookupOptions } from "node:dns";
import { Resolver as NameServers } from "node:dns/promises";
import { BlockList, isIP, type LookupFunction } from "node:net";
import { KernelBotError, quote } from "@kernelbot/core";

export interface AddressRules {
  /** The operator's word: private networks, any port and plain HTTP are allowed. */
  allowPrivate: boolean;
}

/** Asks for all addresses of a name, as `lookup` of node:dns does. */
export type Resolver = (
  name: string,
  options: LookupOptions & { all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** How long a name server may take, ms, and how often it is asked. */
const NAME_SERVER = { timeout: 2000, tries: 2 };

/**
 * Asks name servers, those of the machine unless given. Not `lookup`, which waits in one of the few threads that files and
 * signatures wait in too: some names whose servers never answer would hold them all.
 */
export function nameServers(addresses?: readonly string[]): Resolver {
  return (name, _options, callback) => {
    const servers = new NameServers(NAME_SERVER);
    if (addresses !== undefined) servers.setServers(addresses);
    void Promise.allSettled([servers.resolve4(name), servers.resolve6(name)]).then(([v4, v6]) => {
      const found = [v4, v6].flatMap((answer, index) =>
        answer.status === "rejected" ? [] : answer.value.map((address) => ({ address, family: index === 0 ? 4 : 6 })),
      );
      callback(found.length > 0 || v4.status === "fulfilled" ? null : (v4.reason as Error), found);
    });
  };
}

/** IPv4 that is not for everybody: the special-purpose registry of IANA (RFC 6890), multicast, and a cloud's own host. */
const NOT_PUBLIC = blockList([
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
  // Azure answers its machines from here.
  ["168.63.129.16", 32],
]);

/** Of IPv6 only what is handed out for the world (RFC 4291), */
const GLOBAL_V6 = blockList([["2000::", 3]]);
/** without what carries an IPv4 address inside (6to4, Teredo), protocols and examples. Mapped ones are not in 2000::/3. */
const NOT_PUBLIC_V6 = blockList([
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
]);

/** Whether an IP address is of the public network. */
export function isPublic(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !NOT_PUBLIC.check(address, "ipv4");
    case 6:
      // A zone, as in fe80::1%eth0, names a link of this machine.
      return !address.includes("%") && GLOBAL_V6.check(address, "ipv6") && !NOT_PUBLIC_V6.check(address, "ipv6");
    default:
      return false;
  }
}

/**
 * The address of a webhook, if it may be one as far as its text tells.
 * @throws KernelBotError `unprocessable` that says what to change.
 */
export function allowedUrl(text: string, { allowPrivate }: AddressRules): URL {
  const url = URL.parse(text);
  if (url === null || !["https:", "http:"].includes(url.protocol)) {
    throw refused(`${quote(text)} is no address such as https://example.org/hook`);
  }
  if (url.username !== "" || url.password !== "") throw refused("put no name or password into the address");
  if (allowPrivate) return url;
  if (url.protocol !== "https:") throw refused("use https; this server sends nothing in the clear");
  if (url.port !== "" && Number(url.port) < 1024) throw refused(`use port 443 or one above 1023, not ${url.port}`);
  const host = url.hostname.replace(/^\[|\]$/g, "");
  if (isIP(host) !== 0 && !isPublic(host)) throw notPublic(host);
  return url;
}

/**
 * The `lookup` of a socket that connects to public addresses alone. What it has checked is what the socket connects to, so
 * a name that means another address a moment later gains nothing.
 */
export function guardedLookup(
  { allowPrivate }: AddressRules,
  // In a private network names may be known to the machine and to no name server.
  resolver: Resolver = allowPrivate ? lookup : nameServers(),
): LookupFunction {
  return (name, options, callback) => {
    resolver(name, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, "");
      const [first] = addresses;
      if (first === undefined) return callback(new Error(`${quote(name)} has no address`), "");
      if (!allowPrivate && !addresses.every(({ address }) => isPublic(address))) return callback(notPublic(name), "");
      if (options.all === true) return callback(null, addresses);
      callback(null, first.address, first.family);
    });
  };
}

function notPublic(host: string): KernelBotError {
  return refused(`${quote(host)} is not in the public network, where this server sends webhooks`);
}

function refused(what: string): KernelBotError {
  return new KernelBotError("unprocessable", `url: ${what}`);
}

function blockList(ranges: readonly (readonly [string, number])[]): BlockList {
  const list = new BlockList();
  for (const [network, bits] of ranges) list.addSubnet(network, bits, isIP(network) === 4 ? "ipv4" : "ipv6");
  return list;
}
