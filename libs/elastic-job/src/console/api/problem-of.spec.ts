import { describe, expect, it } from 'vitest';
import { ERROR_STATUSES } from '../../domain/index.js';
import { PROBLEM_CODES } from '../contract/index.js';

/** Errors of ElasticJob-Cloud's own routes, which the console does not have. */
const OF_CLOUD = /CLOUD|^REPEATED_RECONCILE$/;

describe('the codes of problems', () => {
  it('are listed for pages that translate them, with those of the errors that have a status', () => {
    const codes = [...ERROR_STATUSES.keys()].filter((code) => !OF_CLOUD.test(code));
    expect(PROBLEM_CODES).toEqual(expect.arrayContaining(codes));
  });
});
