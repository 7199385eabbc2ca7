/** The request that calls a contract: its address and body, and the types of its input and output. */
import type { z } from "zod";
import type { Contract } from "../contract.ts";

type Schema<C extends Contract, Part extends string> = C extends { readonly [Name in Part]: infer S extends z.ZodType }
  ? z.input<S>
  : never;

type QueryValue = string | number | boolean | undefined;

/** Parameters and query of a call; a query whose fields are all optional may be omitted. */
export type Address<C extends Contract> = (C extends { readonly params: z.ZodType }
  ? { params: Schema<C, "params"> }
  : unknown) &
  (C extends { readonly query: z.ZodType }
    ? object extends Schema<C, "query">
      ? { query?: Schema<C, "query"> }
      : { query: Schema<C, "query"> }
    : unknown);

/** Everything that a call of a contract sends. */
export type Input<C extends Contract> = Address<C> &
  (C extends { readonly body: z.ZodType }
    ? { body: Schema<C, "body"> }
    : C extends { readonly byteBody: readonly string[] }
      ? { body: string }
      : unknown);

type Answered<A> = A extends { readonly schema: infer S extends z.ZodType } ? z.infer<S> : undefined;

/** What a successful call returns: the JSON of its response, or undefined where the response has no body. */
export type Output<C extends Contract> = {
  [Status in keyof C["answers"]]: Status extends 200 | 201 | 202 | 204 ? Answered<C["answers"][Status]> : never;
}[keyof C["answers"]];

/** Returns the schema of a contract's successful response; undefined where it has no body. */
export function outputSchema({ answers }: Contract): z.ZodType | undefined {
  return (answers[200] ?? answers[201] ?? answers[202])?.schema;
}

/**
 * Returns the path and query of a call, relative to /api/v1.
 *
 * @example
 * addressOf(api.boards.get, { params: { board: "a/b", target: "cpu" } }); // "/boards/a%2Fb/cpu"
 */
export function addressOf<C extends Contract>({ path, lastTakesSlashes }: C, input: Address<C>): string {
  const { params, query } = input as {
    params?: Record<string, string | number>;
    query?: Record<string, QueryValue | QueryValue[]>;
  };
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const parts = lastTakesSlashes ? String(params?.[name]).split("/") : [String(params?.[name])];
    return parts.map(encodeURIComponent).join("/");
  });
  const fields = Object.entries(query ?? {}).flatMap(([name, value]) =>
    [value].flat().flatMap((each) => (each === undefined ? [] : [[name, String(each)]])),
  );
  return fields.length === 0 ? filled : `${filled}?${new URLSearchParams(fields)}`;
}

/** Returns the media type and the encoded body of a call; neither where it has no body. */
export function encodeBody<C extends Contract>({ isForm, byteBody }: C, input: Input<C>): Encoded {
  const { body } = input as { body?: unknown };
  if (body === undefined) return {};
  if (isForm) return { body: new URLSearchParams(body as Record<string, string>) };
  return { mediaType: "application/json", body: byteBody ? (body as string) : JSON.stringify(body) };
}

interface Encoded {
  mediaType?: string;
  body?: string | URLSearchParams;
}
