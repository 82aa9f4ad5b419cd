/**
 * The present. The clock of a device may be wrong by a day, and what the registry has is as old as the server says: so
 * the present is that of the server, which each of its answers tells to a second.
 */

/** Less is as much the way of an answer as the clock. */
const LEAST_MS = 5_000;

/** By how much the clock of the server is ahead of that of this device, in milliseconds. */
let offset = 0;

/** In milliseconds since the epoch. */
export function present(): number {
  return Date.now() + offset;
}

/** @param date header of an answer that has just come; null: it has none */
export function noteDate(date: string | null): void {
  const ahead = Date.parse(date ?? '') - Date.now();
  if (!Number.isNaN(ahead)) offset = Math.abs(ahead) < LEAST_MS ? 0 : ahead;
}
