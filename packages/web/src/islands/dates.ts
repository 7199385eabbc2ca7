/** Shows next to each field for a UTC time its value in the reader's time zone. */
const LOCAL = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "short" });
const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

for (const field of document.querySelectorAll<HTMLInputElement>('input[type="datetime-local"]')) {
  const output = document.querySelector<HTMLOutputElement>(`output[for="${field.id}"]`);
  const update = (): void => {
    const moment = Date.parse(`${field.value}Z`);
    if (output !== null)
      output.value = Number.isNaN(moment) ? "" : `Your local time: ${LOCAL.format(moment)} (${ZONE})`;
  };
  field.addEventListener("input", update);
  update();
}
