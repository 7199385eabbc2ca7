/** What is wrong with a file or with a question to it, in a sentence that names both. */
export class DatasetError extends Error {
  override readonly name = "DatasetError";
}
