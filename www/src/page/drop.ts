// Files that are dropped anywhere on the page.
import { signal } from "@preact/signals";

/** Whether files are being held over the page. */
export const isDropping = signal(false);

/** Takes every drop of files; anything else that is dragged is left to the browser. */
export function listenForDrops(onFiles: (files: File[]) => void): void {
  addEventListener("dragover", (event) => {
    if (!holdsFiles(event)) return;
    // Without this the browser would open the file in place of the page.
    event.preventDefault();
    isDropping.value = true;
  });
  addEventListener("dragleave", (event) => {
    // Only a pointer that leaves the window goes to nowhere.
    if (event.relatedTarget === null) isDropping.value = false;
  });
  addEventListener("drop", (event) => {
    if (!holdsFiles(event)) return;
    event.preventDefault();
    isDropping.value = false;
    const files = [...(event.dataTransfer?.files ?? [])];
    if (files.length > 0) onFiles(files);
  });
}

function holdsFiles(event: DragEvent): boolean {
  return event.dataTransfer?.types.includes("Files") ?? false;
}
