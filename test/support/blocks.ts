import { onTestFinished } from 'vitest';
import { cpuMs } from '../property/node-texts/texts.js';

/** Milliseconds between two looks at the processor time. */
const LOOK_MS = 2;

/**
 * Measures from now on for how long the event loop is blocked, by the processor time of this thread, which a busy
 * machine does not increase.
 * @returns a function that ends it, and gives the longest block in milliseconds
 */
export function watchBlocks(): () => number {
  let last = cpuMs();
  let longest = 0;
  const look = (): number => {
    const now = cpuMs();
    longest = Math.max(longest, now - last);
    last = now;
    return longest;
  };
  const timer = setInterval(look, LOOK_MS);
  onTestFinished(() => clearInterval(timer));
  return () => {
    clearInterval(timer);
    return look();
  };
}
