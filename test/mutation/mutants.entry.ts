import { expect, it } from 'vitest';

// Vitest needs a file with a test. test/mutation/mutant-runner.ts begins once this one has passed.
it('starts the run of mutants', () => {
  expect.assertions(0);
});
