/** Text for terminals. */
export {
  columnsOf,
  fit,
  formatCount,
  jsonDocument,
  listed,
  oneLine,
  pad,
  sanitize,
  wrap,
} from "@kernelbot/core/terminal";
