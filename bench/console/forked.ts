import { bundle } from '@test/support/bundle/bundle.js';
import { ClientProcess } from '@test/support/faults/index.js';
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** A server, a namespace in it, and how many jobs of 10 items are there. */
export interface Place {
  readonly servers: string;
  readonly namespace: string;
  readonly jobs: number;
}

/** Starts a process without the compiler of this script, since its memory is measured. It ends with the work. */
export async function withForked<T>(
  name: 'measured' | 'planter',
  { jobs, namespace, servers }: Place,
  work: (forked: ClientProcess) => Promise<T>,
): Promise<T> {
  const script = await bundle({ [name]: `bench/console/${name}.fixture.ts` });
  const child = fork(fileURLToPath(script.url(name)), [servers, namespace, String(jobs)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    execArgv: [],
  });
  const forked = new ClientProcess(child);
  try {
    return await work(forked);
  } finally {
    await forked.stop();
    await script.remove();
  }
}

/** Plants the jobs, and keeps their ephemeral nodes while the work goes on. */
export function withPlanter<T>(place: Place, work: (planter: ClientProcess) => Promise<T>): Promise<T> {
  return withForked('planter', place, async (planter) => {
    await planter.receive((message) => message === 'planted', 600_000);
    console.log(`${place.jobs} jobs of 10 items are there.`);
    return work(planter);
  });
}
