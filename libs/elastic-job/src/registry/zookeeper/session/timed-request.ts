import type { RegistryTime } from '../../registry-time.js';
import type { Request } from '../wire/index.js';

/**
 * A write whose answer tells the leader's clock: the leader stamps what it writes, at some moment between the sending
 * and the answer.
 * @param stampOf the leader's time in an answer, in milliseconds since the epoch; undefined: it tells none
 */
export function timedRequest<T>(
  time: RegistryTime,
  request: Request<T>,
  stampOf: (value: T) => number | undefined,
): Request<T> {
  let heard: ((time: number) => void) | undefined;
  return {
    ...request,
    sending() {
      heard = time.writing();
      request.sending?.();
    },
    answered(answer) {
      const stamp = answer.kind === 'ok' ? stampOf(answer.value) : undefined;
      if (stamp !== undefined) heard?.(stamp);
      request.answered?.(answer);
    },
  };
}
