import { startZooKeeperServer } from '@test/support/faults/index.js';
import type { Finding } from './finding.js';
import { withForked, withPlanter } from './forked.js';

const LIMIT_MS = 600_000;

/** Measures a console in a process of its own: its index, its memory and watches, and 200 streams of its API. */
export async function measureAlone(jobs: number): Promise<readonly Finding[]> {
  const server = await startZooKeeperServer({ jvmFlags: ['-Dzookeeper.forceSync=no', '-Xmx2g'] });
  const place = { servers: server.connect, namespace: 'bench', jobs };
  try {
    return await withPlanter(place, (planter) =>
      withForked('measured', place, async (measured) => {
        planter.send(await measured.receive(isChange, LIMIT_MS));
        return (await measured.receive(isFindings, LIMIT_MS)).findings;
      }),
    );
  } finally {
    await server.stop();
  }
}

function isChange(message: unknown): message is { readonly change: number } {
  return typeof message === 'object' && message !== null && 'change' in message;
}

function isFindings(message: unknown): message is { readonly findings: readonly Finding[] } {
  return typeof message === 'object' && message !== null && 'findings' in message;
}
