import type { Client, Parameters } from "./client.ts";

/** Reads the rows of a statement in batches of `size`, by a cursor in the client's transaction. */
export async function* batches<Row>(
  client: Client,
  name: string,
  size: number,
  text: string,
  parameters: Parameters = [],
): AsyncGenerator<Row[]> {
  await client.query(`declare ${name} no scroll cursor for ${text}`, parameters);
  for (;;) {
    const rows = Array.from(await client.query(`fetch ${size} from ${name}`)) as unknown as Row[];
    if (rows.length > 0) yield rows;
    if (rows.length < size) break;
  }
  await client.query(`close ${name}`);
}
