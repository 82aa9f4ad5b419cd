import { describe, expect, it } from 'vitest';
import { ApiProblem, isOutcomeUnknown, problemOf } from './problem.js';

const answered = (status: number, body: string) => problemOf(new Response(body, { status }));

describe('the outcome of a change', () => {
  it.each([500, 502, 503, 504])('is unknown after %i of a proxy, which may have passed it on', async (status) => {
    expect(isOutcomeUnknown(await answered(status, '<h1>Bad gateway</h1>'))).toBe(true);
  });

  it.each([400, 403, 413, 429])('is none after %i of a proxy', async (status) => {
    expect(isOutcomeUnknown(await answered(status, '<h1>No</h1>'))).toBe(false);
  });

  it('is that which the API tells', async () => {
    expect(isOutcomeUnknown(await answered(503, '{"status":503,"code":"AUDIT_AWAY","detail":""}'))).toBe(false);
    expect(isOutcomeUnknown(await answered(504, '{"status":504,"code":"OUTCOME_UNKNOWN","detail":""}'))).toBe(true);
  });

  it('is unknown without an answer', () => {
    expect(isOutcomeUnknown(new ApiProblem({ status: 0, code: 'UNREACHABLE', detail: '', requestId: '' }))).toBe(true);
  });
});
