/**
 * Rules for webhook URLs, which are untrusted. Without them a user could make the server, which is inside a network,
 * send requests to cloud metadata, the database host or itself (SSRF).
 */
import { lookup, type LookupAddress, type LookupOptions } from "node:dns";
import { Resolver as NameServers } from "node:dns/promises";
import { BlockList, isIP, type LookupFunction } from "node:net";
import { KernelBotError, quote } from "@kernelbot/core";

export interface AddressRules {
  /** Set by the operator: allows private networks, any port and plain HTTP. */
  allowPrivate: boolean;
}

/** Resolves all addresses of a name, like `lookup` of node:dns. */
export type Resolver = (
  name: string,
  options: LookupOptions & { all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** Timeout of a name server in milliseconds, and number of tries. */
const NAME_SERVER = { timeout: 2000, tries: 2 };

/**
 * Resolves names by name servers, by default those of the machine. Not by `lookup`, which blocks one of the few libuv
 * threads that files and signatures use as well: a few names whose servers never answer would block them all.
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

/**
 * IPv4 ranges that are not public: IANA's special-purpose registry (RFC 6890), multicast, and a cloud-internal host.
 */
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
  // Azure's internal service address.
  ["168.63.129.16", 32],
]);

/** IPv6 global unicast (RFC 4291). */
const GLOBAL_V6 = blockList([["2000::", 3]]);
/**
 * Parts of it that embed an IPv4 address (6to4, Teredo) or are reserved for protocols and documentation. IPv4-mapped
 * addresses are outside 2000::/3.
 */
const NOT_PUBLIC_V6 = blockList([
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
]);

/** Returns whether an IP address is public. */
export function isPublic(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !NOT_PUBLIC.check(address, "ipv4");
    case 6:
      // An address with a zone, such as fe80::1%eth0, is link-local.
      return !address.includes("%") && GLOBAL_V6.check(address, "ipv6") && !NOT_PUBLIC_V6.check(address, "ipv6");
    default:
      return false;
  }
}

/**
 * Parses the URL of a webhook and checks everything that needs no name resolution.
 * @throws KernelBotError `unprocessable` that says what to change.
 */
export function parseWebhookUrl(text: string, { allowPrivate }: AddressRules): URL {
  const url = URL.parse(text);
  if (url === null || !["https:", "http:"].includes(url.protocol)) {
    throw refused(`${quote(text)} is not a valid URL such as https://example.org/hook`);
  }
  if (url.username !== "" || url.password !== "") throw refused("the URL must not contain a user name or password");
  if (allowPrivate) return url;
  if (url.protocol !== "https:") throw refused("use https; this server sends nothing to users' addresses unencrypted");
  if (url.port !== "" && Number(url.port) < 1024) throw refused(`use port 443 or a port above 1023, not ${url.port}`);
  const host = url.hostname.replace(/^\[|\]$/g, "");
  if (isIP(host) !== 0 && !isPublic(host)) throw notPublic(host);
  return url;
}

/**
 * Returns a `lookup` function that only returns public addresses. The socket connects to the checked addresses, so that
 * a later change of the name has no effect (DNS rebinding).
 */
export function guardedLookup(
  { allowPrivate }: AddressRules,
  // In a private network, names may be known only to the system resolver.
  resolver: Resolver = allowPrivate ? lookup : nameServers(),
): LookupFunction {
  return (name, options, callback) => {
    resolver(name, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, "");
      const [first] = addresses;
      if (first === undefined) return callback(new Error(`${quote(name)} has no IP address`), "");
      if (!allowPrivate && !addresses.every(({ address }) => isPublic(address))) return callback(notPublic(name), "");
      if (options.all === true) return callback(null, addresses);
      callback(null, first.address, first.family);
    });
  };
}

function notPublic(host: string): KernelBotError {
  return refused(
    `${quote(host)} is not a public address, and this server sends requests of users only to public addresses`,
  );
}

function refused(what: string): KernelBotError {
  return new KernelBotError("unprocessable", `url: ${what}`);
}

function blockList(ranges: readonly (readonly [string, number])[]): BlockList {
  const list = new BlockList();
  for (const [network, bits] of ranges) list.addSubnet(network, bits, isIP(network) === 4 ? "ipv4" : "ipv6");
  return list;
}
