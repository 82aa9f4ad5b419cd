import type { TaskEnvelope } from '../../../libs/elastic-job/src/cloud/index.js';

/** An envelope for tests in which its content does not matter. */
export const ENVELOPE: TaskEnvelope = {
  v: 1,
  jobName: 'settle',
  taskId: 'settle@-@1@-@READY@-@10.0.0.1@-@1-s1',
  shardingTotalCount: 3,
  jobParameter: 'all',
  shardingItem: 1,
  shardingParameter: 'Shanghai',
  fireTime: 1_700_000_000_000,
  source: 'NORMAL_TRIGGER',
  trigger: 'schedule',
  attempt: 1,
  launch: 1,
  token: '7',
  tokenEpoch: 2,
  run: 'run-1',
  props: {},
  graceMs: 4_000,
};
