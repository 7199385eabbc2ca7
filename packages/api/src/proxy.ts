/**
 * Outgoing connections through the proxy that HTTPS_PROXY, HTTP_PROXY and NO_PROXY name. Node.js implements it; without
 * these variables nothing is loaded.
 */

type Environment = Readonly<Record<string, string | undefined>>;

/** Addresses of this machine, which no proxy can reach: a server and its local runner are there. */
const LOOPBACK = "localhost,127.0.0.1,::1,[::1]";

/**
 * Returns the proxy variables for the option `proxyEnv` of an agent of node:http, with loopback addresses excluded;
 * undefined if no proxy is set. An invalid address counts as none.
 */
export function proxyEnvironment(env: Environment): Record<string, string> | undefined {
  const [https, http, none] = [addressIn(env, "HTTPS_PROXY"), addressIn(env, "HTTP_PROXY"), valueOf(env, "NO_PROXY")];
  if (!https && !http) return undefined;
  return {
    ...(https && { https_proxy: https }),
    ...(http && { http_proxy: http }),
    no_proxy: none === "*" ? none : [none, LOOPBACK].filter((part) => part !== "").join(","),
  };
}

function valueOf(env: Environment, name: string): string {
  return env[name.toLowerCase()] || env[name] || "";
}

/** Returns the address of a proxy, with `http://` where it has no scheme, as curl does; null if it is invalid. */
function addressIn(env: Environment, name: string): string | null {
  const value = valueOf(env, name);
  if (value === "") return "";
  const address = value.includes("://") ? value : `http://${value}`;
  return /^https?:$/.test(URL.parse(address)?.protocol ?? "") ? address : null;
}

/**
 * Sends all later requests of this process by `fetch` and by the global agents of node:http and node:https through the
 * proxy, if one is set.
 * @returns a warning if this version of Node.js cannot, or an address is invalid; else undefined.
 *
 * @example
 * const warning = useProxy(process.env);
 */
export function useProxy(env: Environment): string | undefined {
  const invalid = ["HTTPS_PROXY", "HTTP_PROXY"].filter((name) => addressIn(env, name) === null);
  // Its value may contain a password.
  const warning =
    invalid.length === 0
      ? undefined
      : `${invalid.join(" and ")}: ignored, because the value is not the address of an HTTP proxy; use http://HOST:PORT`;
  const proxyEnv = proxyEnvironment(env);
  if (proxyEnv === undefined) return warning;
  // Absent in older versions, contrary to its type.
  const setGlobalProxyFromEnv = Reflect.get(process.getBuiltinModule("node:http"), "setGlobalProxyFromEnv") as
    ((proxyEnv: Record<string, string>) => void) | undefined;
  if (setGlobalProxyFromEnv === undefined) {
    const isNative = env["NODE_USE_ENV_PROXY"] === "1";
    return isNative
      ? warning
      : `HTTPS_PROXY or HTTP_PROXY is ignored by Node.js ${process.versions.node}; use Node.js 24.14 or newer, or set ` +
          "NODE_USE_ENV_PROXY=1 with Node.js 22.21 or newer";
  }
  setGlobalProxyFromEnv(proxyEnv);
  return warning;
}

/**
 * Returns the proxy settings for the report of a check, such as ` (HTTPS_PROXY http://proxy.example.org:3128)`; without
 * user names and passwords. Empty if no proxy is set.
 */
export function formatProxy(env: Environment): string {
  const proxyEnv = proxyEnvironment(env);
  if (proxyEnv === undefined) return "";
  const settings = Object.entries(proxyEnv).map(([name, value]) => {
    return `${name.toUpperCase()} ${name === "no_proxy" ? value : value.replace(/\/\/.*@/, "//")}`;
  });
  return ` (${settings.join(", ")})`;
}
