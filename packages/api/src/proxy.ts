/**
 * Outgoing connections through the proxy that HTTPS_PROXY, HTTP_PROXY and NO_PROXY name. Node.js implements it; without
 * these variables nothing is loaded.
 */

type Environment = Readonly<Record<string, string | undefined>>;

/** Addresses of this machine, which no proxy can reach: a server and its local runner are there. */
const LOOPBACK = "localhost,127.0.0.1,::1,[::1]";

/**
 * Returns the proxy variables for the option `proxyEnv` of an agent of node:http, with loopback addresses excluded;
 * undefined if no proxy is set.
 */
export function proxyEnvironment(env: Environment): Record<string, string> | undefined {
  const of = (name: string): string => env[name.toLowerCase()] || env[name] || "";
  const [https, http, none] = [of("HTTPS_PROXY"), of("HTTP_PROXY"), of("NO_PROXY")];
  if (https === "" && http === "") return undefined;
  return {
    ...(https !== "" && { https_proxy: https }),
    ...(http !== "" && { http_proxy: http }),
    no_proxy: none === "*" ? none : [none, LOOPBACK].filter((part) => part !== "").join(","),
  };
}

/**
 * Sends all later requests of this process by `fetch` and by the global agents of node:http and node:https through the
 * proxy, if one is set.
 * @returns a warning if this version of Node.js cannot, else undefined.
 *
 * @example
 * const warning = useProxy(process.env);
 */
export function useProxy(env: Environment): string | undefined {
  const proxyEnv = proxyEnvironment(env);
  if (proxyEnv === undefined) return undefined;
  // Absent in older versions, contrary to its type.
  const setGlobalProxyFromEnv = Reflect.get(process.getBuiltinModule("node:http"), "setGlobalProxyFromEnv") as
    ((proxyEnv: Record<string, string>) => void) | undefined;
  if (setGlobalProxyFromEnv === undefined) {
    const isNative = env["NODE_USE_ENV_PROXY"] === "1";
    return isNative
      ? undefined
      : `HTTPS_PROXY or HTTP_PROXY is ignored by Node.js ${process.versions.node}; use Node.js 24.14 or newer, or set ` +
          "NODE_USE_ENV_PROXY=1 with Node.js 22.21 or newer";
  }
  setGlobalProxyFromEnv(proxyEnv);
  return undefined;
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
