import type { OverviewAnswer } from '../../../src/console/contract/answers.js';
import { createReading, get } from '../api/index.js';

/** The namespace at a glance, for the frame and the first view. Each frame of the stream is a whole one. */
export const overview = createReading<OverviewAnswer>((signal) => get('/overview', { signal }), {
  topics: ['overview'],
  merge: (_, frame) => frame,
});
