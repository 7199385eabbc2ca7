/** Text for terminals. */
export { sanitize, formatCount, oneLine } from "@kernelbot/core";
export { columnsOf, fit, jsonDocument, listed, pad, wrap } from "@kernelbot/core/terminal";
