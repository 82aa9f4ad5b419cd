import { expect, it } from 'vitest';
import { formatCancelRequest, parseCancelRequest } from './cancel-request.js';

it.each([true, false])('reads a request as it was written, with a confirmed loss: %s', (lost) => {
  const request = { run: '0b6a', isConfirmedLost: lost };
  expect(parseCancelRequest(formatCancelRequest(request))).toEqual(request);
});

it('reads the text of an older version as a request to cancel that run', () => {
  expect(parseCancelRequest('0b6a')).toEqual({ run: '0b6a', isConfirmedLost: false });
});
