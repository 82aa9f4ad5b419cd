import type { RegistryTime } from '../../registry-time.js';
import type { Request } from '../wire/index.js';

/**
 * A write whose answer reveals the leader's clock: the leader stamps the write at some moment between sending and
 * answer.
 * @param stampOf the leader's time in an answer, in milliseconds since the epoch; undefined if it has none
 */
export function timedRequest<T>(
  time: RegistryTime,
  request: Request<T>,
  stampOf: (value: T) => number | undefined,
): Request<T> {
  let heard: ((time: number) => void) | undefined;
  return {
    opCode: request.opCode,
    payload: request.payload,
    read: request.read,
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
