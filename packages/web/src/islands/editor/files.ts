/** Source files that are chosen or dropped. */

/** Returns the text of a file. @throws Error with a message for the user, if the file is too large or not UTF-8. */
export async function readSourceFile(file: File, mostBytes: number): Promise<string> {
  if (file.size > mostBytes) {
    throw new Error(
      `${file.name} has ${file.size.toLocaleString("en-US")} bytes; the limit is ${mostBytes.toLocaleString("en-US")}.`,
    );
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
  } catch (error) {
    throw new Error(`${file.name} cannot be read as UTF-8 text; save it as UTF-8 and upload it again.`, {
      cause: error,
    });
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
