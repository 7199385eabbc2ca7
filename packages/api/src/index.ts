/** Contracts of the endpoints of /api/v1, and the typed client that calls them. */
export * from "./api.ts";
export * from "./body-limits.ts";
export * from "./client/client.ts";
export { REPEAT_FOR_MS, type ClientOptions, type EventsOptions } from "./client/connection.ts";
export * from "./client/event-stream.ts";
export * from "./client/request.ts";
export { type Answer, type Contract } from "./contract.ts";
export * from "./parameters.ts";
