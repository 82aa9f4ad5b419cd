import { describe, expect, it } from 'vitest';
import { formatTriggerRequest, parseTriggerRequest } from './trigger-text.js';

describe('the text of a request for a run', () => {
  it.each([
    { id: 'a', parameters: undefined },
    { id: 'a', parameters: 'day=2026-11-21\n"作业"' },
  ])('given %j, when it is written and read, then it is the same', (request) => {
    expect(parseTriggerRequest(formatTriggerRequest(request))).toEqual(request);
  });

  it.each(['', 'x', '1', 'null', '[]', '{}', '{"id":""}', '{"id":1}'])(
    'given %j, when it is read, then it is not one of ours',
    (text) => {
      expect(parseTriggerRequest(text)).toBeUndefined();
    },
  );
});
