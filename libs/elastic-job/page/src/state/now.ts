import { signal } from '@preact/signals';

/** The present, by the clock of this device, in milliseconds since the epoch. It goes on once a second. */
export const now = signal(Date.now());

setInterval(() => {
  // A hidden page shows nothing.
  if (document.visibilityState === 'visible') now.value = Date.now();
}, 1_000);
document.addEventListener('visibilitychange', () => (now.value = Date.now()));
