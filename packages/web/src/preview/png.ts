import { crc32, deflateSync } from "node:zlib";

/**
 * Encodes a picture as PNG (ISO/IEC 15948) with a palette.
 * @param pixels Indexes into the palette, row by row.
 * @param palette Colours, each as red, green and blue from 0 to 255; at most 256.
 */
export function encodePng(pixels: Uint8Array, width: number, palette: readonly (readonly number[])[]): Buffer {
  const height = pixels.length / width;
  const size = Buffer.alloc(8);
  size.writeUInt32BE(width, 0);
  size.writeUInt32BE(height, 4);
  // Each row begins with its filter: none.
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y += 1) rows.set(pixels.subarray(y * width, (y + 1) * width), y * (width + 1) + 1);
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    // 8 bits per pixel, palette, no interlace.
    chunk("IHDR", Buffer.concat([size, Buffer.from([8, 3, 0, 0, 0])])),
    chunk("PLTE", Buffer.from(palette.flat())),
    chunk("IDAT", deflateSync(rows)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, checksum]);
}
