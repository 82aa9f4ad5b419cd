import { describe, expect, it } from 'vitest';
import { formatTriggerRequest, parseTriggerRequest } from './trigger-text.js';

describe('the text of a request for a run', () => {
  it.each([
    { id: 'a', parameters: undefined },
    { id: 'a', parameters: 'day=2026-11-21\n"作业"' },
  ])('is read as it was written: %j', (request) => {
    expect(parseTriggerRequest(formatTriggerRequest(request))).toEqual(request);
  });

  it.each(['', 'x', '1', 'null', '[]', '{}', '{"id":""}', '{"id":1}'])('is not one of ours if it is %j', (text) => {
    expect(parseTriggerRequest(text)).toBeUndefined();
  });
});
