import { defineConfig } from 'vitest/config';
import { resolve, threads } from './vitest.base.js';

/** The site that `npm run docs` has built, in a real Chromium. */
export default defineConfig({ resolve, test: { ...threads, include: ['test/site/**/*.spec.ts'] } });
