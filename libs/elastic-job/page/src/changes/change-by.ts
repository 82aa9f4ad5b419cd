import type { DoneAnswer } from '../../../src/console/contract/answers.js';
import { change } from '../api/index.js';
import type { Change } from '../parts/index.js';

/** A change as its dialog shows it, and the request that makes it. */
interface Requested<Answer> extends Omit<Change, 'send'> {
  readonly method?: 'POST' | 'DELETE';
  readonly path: string;
  readonly body?: object;
  readonly became: string | ((answer: Answer) => string);
}

interface Answered {
  readonly audit: string;
  readonly note?: string | null;
}

/** A change that is one request, to which the dialog adds no more than a reason. */
export function changeBy<Answer extends Answered = DoneAnswer>({
  became,
  body = {},
  method = 'POST',
  path,
  ...shown
}: Requested<Answer>): Change {
  return {
    ...shown,
    send: async ({ reason }) => {
      const answer = await change<Answer>(method, path, { body: { ...body, reason } });
      const text = typeof became === 'string' ? became : became(answer);
      return { text, note: answer.note ?? null, audit: answer.audit };
    },
  };
}
