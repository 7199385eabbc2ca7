import { expect, test } from "vitest";
import { headerLength, parseTensorHeader } from "./safetensors.ts";

const lengthBytes = (length: number): Uint8Array => new Uint8Array(BigUint64Array.of(BigInt(length)).buffer);
const tensor = (begin: number, end: number) => ({
  dtype: "I32",
  shape: [(end - begin) / 4],
  data_offsets: [begin, end],
});

test("tensors are found at their place in the file, with the dtypes that they may have", () => {
  const header = JSON.stringify({
    __metadata__: { any: "text" },
    a: tensor(0, 8),
    b: { ...tensor(8, 12), dtype: "F4" },
  });
  const tensors = parseTensorHeader(header, 100, 120);
  expect(tensors.get("a")).toEqual({ dtypes: ["int32"], storedDtype: "I32", shape: [2], begin: 108, end: 116 });
  expect(tensors.get("b")?.dtypes).toEqual(["float4_e2m1", "float4_e2m1fn_x2"]);
});

test.each([
  [lengthBytes(200), "which it does not have"],
  [lengthBytes(2 ** 40), "declares a header of 1099511627776 bytes; at most 16000000"],
  [new Uint8Array(3), "is shorter than 8 bytes"],
  [new TextEncoder().encode("version "), "is a Git LFS pointer"],
])("a start of %s is refused", (start, why) => expect(() => headerLength(start, 150)).toThrow(why));

test.each([
  [{ a: tensor(0, 80) }, 'has the tensor "a" outside of the file'],
  [{ a: { ...tensor(0, 8), data_offsets: [8, 0] } }, 'has the tensor "a" outside of the file'],
  [{ a: tensor(0, 8), b: tensor(4, 12) }, "has tensors that overlap"],
  [{ a: { dtype: "I32", shape: [-1], data_offsets: [0, 4] } }, "has an invalid header"],
])("the header %j is refused", (header, why) =>
  expect(() => parseTensorHeader(JSON.stringify(header), 100, 120)).toThrow(why),
);
