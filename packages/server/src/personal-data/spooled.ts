/** A stream through a temporary file, so that the speed of its reader does not hold up what produces it. */
import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Bytes that are read at a time. */
const PART_BYTES = 2 ** 16;

/**
 * Writes a stream into a temporary file as fast as it is produced, and yields its bytes from there meanwhile. Deletes the
 * file when the reader ends.
 * @param produce Starts the stream, which must end when the signal is aborted.
 * @throws the error of the stream, after the bytes before it.
 */
export async function* spooled(
  produce: (signal: AbortSignal) => AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void> {
  const folder = await mkdtemp(join(tmpdir(), "kernelbot-"));
  const reader = new AbortController();
  const file = await open(join(folder, "data"), "wx+", 0o600);
  const progress = { written: 0, hasEnded: false, wake: (): void => undefined };
  const written = (async () => {
    try {
      for await (const chunk of produce(reader.signal)) {
        reader.signal.throwIfAborted();
        await file.appendFile(chunk);
        progress.written += chunk.length;
        progress.wake();
      }
    } finally {
      progress.hasEnded = true;
      progress.wake();
    }
  })();
  // Reported to the reader at the end of the file.
  written.catch(() => undefined);
  try {
    let at = 0;
    while (!progress.hasEnded || at < progress.written) {
      if (at === progress.written) {
        await new Promise<void>((resolve) => (progress.wake = resolve));
        continue;
      }
      const part = Buffer.alloc(Math.min(PART_BYTES, progress.written - at));
      at += (await file.read(part, 0, part.length, at)).bytesRead;
      yield part;
    }
    await written;
  } finally {
    reader.abort();
    await written.catch(() => undefined);
    await file.close();
    await rm(folder, { recursive: true, force: true });
  }
}
