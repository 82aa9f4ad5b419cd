import { expect, it } from 'vitest';
import { formatCancelRequest, parseCancelRequest } from './cancel-request.js';

it.each([true, false])(
  'given a loss that is confirmed: %s, when it is written and read, then it is the same',
  (lost) => {
    const request = { run: '0b6a', isConfirmedLost: lost };
    expect(parseCancelRequest(formatCancelRequest(request))).toEqual(request);
  },
);

it('given the text of an older version, when it is read, then it cancels that run', () => {
  expect(parseCancelRequest('0b6a')).toEqual({ run: '0b6a', isConfirmedLost: false });
});
