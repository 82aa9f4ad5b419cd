import { expect, it } from 'vitest';
import { SessionLostError } from './registry.errors.js';

it('the error of a lost session says to operators that there is none, and to try again', () => {
  expect(new SessionLostError('0x1').message).toMatch(/^There is no session of the registry: 0x1 is lost.*try again/);
});
