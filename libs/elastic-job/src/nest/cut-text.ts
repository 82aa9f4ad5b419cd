/** Most bytes of a message in the log, in UTF-8. */
const MOST_BYTES = 4_096;

/**
 * The text itself, or its beginning with a note of how long it was: so a log's message has at most 4 KB, however long
 * the texts are that others have thrown or written. No character is cut in half.
 */
export function cutText(text: string, mostBytes = MOST_BYTES): string {
  const bytes = Buffer.byteLength(text);
  if (bytes <= mostBytes) return text;
  const note = ` ... (cut, of ${bytes} bytes)`;
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(mostBytes - note.length));
  return text.slice(0, read) + note;
}
