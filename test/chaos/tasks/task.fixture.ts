// A task: plain Node, which appends to the ledger as it begins and as it ends. Tasks of the job `deaf` ignore what they
// are told, and so do the processes that they start.
import { spawn } from 'node:child_process';
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import type { TaskEnvelope } from '../../../libs/elastic-job/src/cloud/index.js';
import type { RunLine } from '../cluster/check/index.js';
import { DEAF_JOB, DEAF_SLOWNESS, type TaskLine } from './task-line.js';

const { ELASTIC_JOB_TASK, LEDGER, SCHEDULER, LEAST_MS, MOST_MS } = process.env;
const envelope: TaskEnvelope = JSON.parse(ELASTIC_JOB_TASK!);
const begunAt = Date.now();
const ledger = openSync(LEDGER!, 'a');

const isDeaf = envelope.jobName === DEAF_JOB;
const children = isDeaf ? [spawn('sh', ['-c', 'trap "" TERM; while :; do sleep 1; done']).pid!] : [];

process.on('SIGTERM', () => {
  if (isDeaf) return;
  append('abort');
  process.exit(143);
});
append('begin');
const slowness = isDeaf ? DEAF_SLOWNESS : 1;
const workMs = slowness * (Number(LEAST_MS) + Math.random() * (Number(MOST_MS) - Number(LEAST_MS)));
setTimeout(() => {
  append('end');
  closeSync(ledger);
  process.exit(0);
}, workMs);

/** Appends in one write, which is on the disk on return: the process may be killed at any moment. */
function append(step: RunLine['step']): void {
  const line: TaskLine = {
    step,
    // A begin may have several items, each with a task of its own.
    run: `${envelope.run}/${envelope.shardingItem}`,
    job: envelope.jobName,
    item: envelope.shardingItem,
    fireTime: envelope.fireTime,
    source: envelope.source,
    token: envelope.token,
    tokenEpoch: envelope.tokenEpoch,
    worker: SCHEDULER!,
    begunAt,
    at: Date.now(),
    launch: envelope.launch,
    pid: process.pid,
    children,
  };
  writeSync(ledger, `${JSON.stringify(line)}\n`);
  fsyncSync(ledger);
}
