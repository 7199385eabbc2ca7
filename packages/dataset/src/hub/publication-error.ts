/** Error of a publication to a destination. */
export class PublicationError extends Error {
  /** Milliseconds after which a retry may succeed; null when a person must act first. */
  readonly waitMs: number | null;

  constructor(message: string, waitMs: number | null, options?: ErrorOptions) {
    super(message, options);
    this.name = "PublicationError";
    this.waitMs = waitMs;
  }
}
