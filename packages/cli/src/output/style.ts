export { makeStyle, PLAIN, type Style } from "@kernelbot/core/terminal";
