import { readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import type { Plan } from './test/mutation/plan.js';
import { resolve, threads } from './vitest.base.js';

const plan: Plan = JSON.parse(readFileSync(process.env.MUTATION_PLAN!, 'utf8'));

/**
 * Specs in memory and on virtual clocks, over a library whose mutants are behind switches:
 * test/mutation/mutant-runner.ts.
 */
export default defineConfig({
  resolve,
  plugins: [{ name: 'mutants', enforce: 'pre', load: (id) => plan.instrumented[id] }],
  test: {
    ...threads,
    include: ['test/mutation/mutants.entry.ts'],
    runner: './test/mutation/mutant-runner.ts',
    maxWorkers: 1,
  },
});
