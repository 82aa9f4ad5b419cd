import { readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import type { Plan } from './test/mutation/plan.js';
import common from './vitest.config.js';

const plan: Plan = JSON.parse(readFileSync(process.env.MUTATION_PLAN!, 'utf8'));

/**
 * Specs in memory and on virtual clocks, over a library whose mutants are behind switches:
 * test/mutation/mutant-runner.ts.
 */
export default defineConfig({
  ...common,
  plugins: [{ name: 'mutants', enforce: 'pre', load: (id) => plan.instrumented[id] }],
  test: {
    ...common.test,
    globalSetup: undefined,
    include: ['test/mutation/mutants.entry.ts'],
    runner: './test/mutation/mutant-runner.ts',
    maxWorkers: 1,
  },
});
