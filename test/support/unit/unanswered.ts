import type { Member, Registry } from './member.js';

/** Leaves a request of a member without an answer. @param request its number, counted from 1 from now on */
export function withholdAnswer({ memory }: Registry, { sessionId }: Member, request: number): void {
  let count = 0;
  memory.failRequests((id) => {
    if (id === sessionId && (count += 1) === request) memory.cut(sessionId, 'replies');
    return undefined;
  });
}

/** Reason with which the work rejects once something ends it, without time passing; undefined if it goes on. */
export async function reasonOf({ clock }: Registry, work: Promise<unknown>, end: () => void): Promise<unknown> {
  let reason: unknown;
  let isOver = false;
  void work.catch((error: unknown) => (reason = error)).finally(() => (isOver = true));
  await clock.advance(0);
  if (isOver) throw new Error('The work did not wait for an answer.', { cause: reason });
  end();
  await clock.advance(0);
  return reason;
}
