import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect: unknown = runInNewContext('gc');

/** Collects JavaScript's garbage. The finalizers of native objects run after the next turn of the event loop. */
export function collectGarbage(): void {
  if (typeof collect === 'function') Reflect.apply(collect, undefined, []);
}
