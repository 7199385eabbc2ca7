/**
 * Yields the lines of a byte stream without their line ends; an unterminated last line is dropped.
 * @throws Error when a line is longer than `maxBytes`, so that a broken writer cannot exhaust memory.
 */
export async function* readLines(stream: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<string> {
  let parts: Buffer[] = [];
  let length = 0;
  const keep = (part: Buffer): void => {
    parts.push(part);
    length += part.length;
    if (length > maxBytes) throw new Error(`a line is longer than ${maxBytes} bytes`);
  };
  for await (const chunk of stream) {
    let start = 0;
    for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, start)) {
      keep(chunk.subarray(start, end));
      yield Buffer.concat(parts).toString("utf8");
      parts = [];
      length = 0;
      start = end + 1;
    }
    keep(chunk.subarray(start));
  }
}
