// Measures the operations console over 10,000 jobs of 10 items, 440,000 nodes, in a real ZooKeeper: the index, its
// memory and watches, and 200 streams of the API. Ends with status 1 if it falls short of what is promised.
//
// npm run bench:console
// JOBS=500 npm run bench:console     shorter
import { bundle } from '@test/support/bundle/bundle.js';
import { ClientProcess, startZooKeeperServer } from '@test/support/faults/index.js';
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Finding } from './console/finding.js';

const JOBS = process.env.JOBS ?? '10000';
const LIMIT_MS = 600_000;
const server = await startZooKeeperServer({ jvmFlags: ['-Dzookeeper.forceSync=no', '-Xmx2g'] });
const script = await bundle({
  planter: 'bench/console/planter.fixture.ts',
  measured: 'bench/console/measured.fixture.ts',
});
const planter = forked('planter');
try {
  await planter.receive((message) => message === 'planted', LIMIT_MS);
  console.log(`${JOBS} jobs of 10 items are there.`);
  const measured = forked('measured');
  try {
    planter.send(await measured.receive(isChange, LIMIT_MS));
    const { findings } = await measured.receive(isFindings, LIMIT_MS);
    for (const { most, unit, value, what } of findings) {
      const verdict = value <= most ? 'kept  ' : 'BROKEN';
      console.log(`${verdict}  ${what}: ${value.toFixed(value < 100 ? 1 : 0)} ${unit} (at most ${most})`);
    }
    process.exitCode = findings.every(({ most, value }) => value <= most) ? 0 : 1;
  } finally {
    await measured.stop();
  }
} finally {
  await planter.stop();
  await server.stop();
  await script.remove();
}

/** A process without the compiler of this script, since its memory is measured. */
function forked(name: 'planter' | 'measured'): ClientProcess {
  const stdio = ['ignore', 'inherit', 'inherit', 'ipc'] as const;
  const child = fork(fileURLToPath(script.url(name)), [server.connect, 'bench', JOBS], {
    stdio: [...stdio],
    execArgv: [],
  });
  return new ClientProcess(child);
}

function isChange(message: unknown): message is { readonly change: number } {
  return typeof message === 'object' && message !== null && 'change' in message;
}

function isFindings(message: unknown): message is { readonly findings: readonly Finding[] } {
  return typeof message === 'object' && message !== null && 'findings' in message;
}
