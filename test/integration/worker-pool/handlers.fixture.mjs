// Functions for threads, as a user writes them.
export function run(context, input) {
  return report(input, { facts: { ...context, signal: undefined, assertHeld: undefined }, input: input.value });
}

export async function waitForAbort({ signal }, input) {
  report(input, 'waiting');
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  report(input, { aborted: signal.aborted, name: signal.reason.name, code: signal.reason.code });
}

/** Blocks its event loop, but looks at its signal. */
export function computeUntilAborted({ signal }, input) {
  report(input, 'computing');
  while (!signal.aborted);
  report(input, { code: signal.reason.code });
  signal.throwIfAborted();
}

/** Blocks its event loop, but asks whether the item is held. */
export function computeWhileHeld({ assertHeld }, input) {
  assertHeld();
  report(input, 'held');
  for (;;) assertHeld();
}

export function spin(_context, input) {
  report(input, 'spinning');
  for (;;);
}

export function fail(_context, { mode }) {
  if (mode === 'value') throw 'no error';
  const cause = new RangeError('no row');
  throw Object.assign(new TypeError('no order', { cause }), { code: 'E_ORDER', query: () => {} });
}

export function die(_context, { mode }) {
  if (mode === 'exit') process.exit(3);
  if (mode === 'memory') for (const hoard = []; ;) hoard.push(Array.from({ length: 100_000 }, Math.random));
  return new Promise(() => queueMicrotask(() => missing.function()));
}

export function dieOnce({ attempt }) {
  if (attempt === 1) process.exit(3);
}

/** Leaves a timer behind that ends its thread after the work is done. */
export function leaveTrap() {
  setTimeout(() => missing.function(), 20);
}

function report({ port }, news) {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel between threads, not a window
  new BroadcastChannel(port).postMessage(news);
}
