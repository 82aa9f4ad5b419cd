import { defineConfig, mergeConfig } from 'vitest/config';
import usual from './vitest.config.js';

/** The site that `npm run docs` has built, in a real Chromium. */
const { include: _include, exclude: _exclude, ...test } = usual.test ?? {};
export default mergeConfig({ ...usual, test }, defineConfig({ test: { include: ['test/site/**/*.spec.ts'] } }));
