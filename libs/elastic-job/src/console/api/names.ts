import { findJobNameFault } from '../../domain/index.js';

const LONGEST_NAME = 1_024;
/** Characters that change the order in which others are read, so that a name shows as another one. */
const BIDI = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

/** The fault of a name in a URL, a topic or a body; undefined for one that a job, server or template can have. */
export function findNameFault(name: unknown): string | undefined {
  if (typeof name === 'string' && name.length > LONGEST_NAME) return `must have at most ${LONGEST_NAME} characters`;
  if (typeof name === 'string' && BIDI.test(name))
    return 'must not have characters that change the direction of others';
  return findJobNameFault(name);
}
