/** Shows next to each field for a UTC time its value in the reader's time zone. */
const LOCAL = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "short" });
const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

for (const field of document.querySelectorAll<HTMLInputElement>('input[type="datetime-local"]')) {
  const told = document.querySelector<HTMLOutputElement>(`output[for="${field.id}"]`);
  const tell = (): void => {
    const moment = Date.parse(`${field.value}Z`);
    if (told !== null) told.value = Number.isNaN(moment) ? "" : `In your time: ${LOCAL.format(moment)} (${ZONE})`;
  };
  field.addEventListener("input", tell);
  tell();
}
