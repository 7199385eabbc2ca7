/** Error in a file or a query. The message names both. */
export class DatasetError extends Error {
  override readonly name = "DatasetError";
}
