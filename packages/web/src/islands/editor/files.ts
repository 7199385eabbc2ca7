/** Source files that are chosen or dropped. */
import { decodeSource } from "@kernelbot/core/source";

/** Returns the text of a file. @throws Error with a message for the user, if the file is too large or not UTF-8. */
export async function readSourceFile(file: File, mostBytes: number): Promise<string> {
  if (file.size > mostBytes) {
    throw new Error(
      `${file.name} has ${file.size.toLocaleString("en-US")} bytes; the limit is ${mostBytes.toLocaleString("en-US")}.`,
    );
  }
  try {
    return decodeSource(new Uint8Array(await file.arrayBuffer()), mostBytes);
  } catch (error) {
    throw new Error(`${file.name}: ${error instanceof Error ? error.message : String(error)}.`, { cause: error });
  }
}

/** Handles files that are dropped on an element, before its descendants do. */
export function onDrop(element: HTMLElement, take: (file: File) => void): void {
  const isFile = ({ dataTransfer }: DragEvent): boolean => dataTransfer?.types.includes("Files") === true;
  element.addEventListener(
    "dragover",
    (event) => {
      if (isFile(event)) event.preventDefault();
    },
    { capture: true },
  );
  element.addEventListener(
    "drop",
    (event) => {
      if (!isFile(event)) return;
      event.preventDefault();
      event.stopPropagation();
      const file = event.dataTransfer?.files[0];
      if (file !== undefined) take(file);
    },
    { capture: true },
  );
}
