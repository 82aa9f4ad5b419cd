import { computed, signal } from '@preact/signals';

/** The present, by the clock of this device, in milliseconds since the epoch. It goes on once a second. */
export const now = signal(Date.now());

/** When the present minute has begun: for what shows no seconds of the present, such as a day. */
export const minute = computed(() => now.value - (now.value % 60_000));

setInterval(() => {
  // A hidden page shows nothing.
  if (document.visibilityState === 'visible') now.value = Date.now();
}, 1_000);
document.addEventListener('visibilitychange', () => (now.value = Date.now()));
