// A task that notes its begin and its end, each synced to the disk before it goes on. Plain Node: hundreds run a minute.
const { appendFileSync, closeSync, fsyncSync, openSync } = require('node:fs');

const { fireTime, jobName: job, launch, run, shardingItem: item } = JSON.parse(process.env.ELASTIC_JOB_TASK);
const ledger = openSync(process.env.LEDGER, 'a');

function note(kind) {
  const line = {
    kind,
    job,
    item,
    fireTime,
    run,
    launch,
    scheduler: process.env.SCHEDULER,
    pid: process.pid,
    at: Date.now(),
  };
  appendFileSync(ledger, `${JSON.stringify(line)}\n`);
  fsyncSync(ledger);
}

note('begin');
setTimeout(
  () => {
    note('end');
    closeSync(ledger);
    process.exit(0);
  },
  200 + Math.random() * 1_800,
);
