import { computed, signal } from '@preact/signals';
import { present } from '../api/index.js';

/** The present, in milliseconds since the epoch. It goes on once a second. */
export const now = signal(present());

/** When the present minute has begun: for what shows no seconds of the present, such as a day. */
export const minute = computed(() => now.value - (now.value % 60_000));

setInterval(() => {
  // A hidden page shows nothing.
  if (document.visibilityState === 'visible') now.value = present();
}, 1_000);
document.addEventListener('visibilitychange', () => (now.value = present()));
