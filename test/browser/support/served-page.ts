import type { IncomingMessage, ServerResponse } from 'node:http';
import { ElasticJob } from '@app/elastic-job';
import { hashPassword } from '@app/elastic-job/console';
import type { ConsoleRole } from '@app/elastic-job/console';
import { AUTH, SettlingJobs, startConsole } from '../../console/support/console-application.js';

interface Person {
  readonly name: string;
  readonly password: string;
  readonly role: ConsoleRole;
  readonly jobPrefix?: string;
}

/** People who may log in, by their roles, and an admin of the jobs that begin with `billing-`. */
export const PEOPLE = {
  viewer: { name: 'vera', password: 'vera looks only', role: 'viewer' },
  operator: { name: 'otto', password: 'otto does something', role: 'operator' },
  admin: { name: 'ada', password: 'ada does it all', role: 'admin' },
  scoped: { name: 'sam', password: 'sam has his own', role: 'admin', jobPrefix: 'billing-' },
} as const satisfies Readonly<Record<ConsoleRole | 'scoped', Person>>;
let users: Promise<readonly Person[]> | undefined;

/** Fails whenever it is asked to run. */
class FailingJobs {
  @ElasticJob({
    name: 'ledger-close',
    description: '[finance] Closes the ledger',
    shardingTotalCount: 1,
    jobErrorHandlerType: 'IGNORE',
  })
  close(): never {
    throw new Error('The ledger is open elsewhere.');
  }
}

/** Jobs of the process that serves the page. */
export const JOBS = [SettlingJobs, FailingJobs];

/** A console with its page, on a port of its own, until the test has finished. */
export async function servePage({
  before,
  console,
  providers = JOBS,
  ...parts
}: NonNullable<Parameters<typeof startConsole>[0]> = {}) {
  users ??= Promise.all(
    Object.values(PEOPLE).map(async (person) => ({ ...person, password: await hashPassword(person.password) })),
  );
  const streams = new Set<ServerResponse>();
  const served = await startConsole({
    ...parts,
    providers,
    console: { auth: { ...AUTH, users: await users }, ...console },
    before: async (app) => {
      app.getHttpServer().prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
        if (!/\/api\/v1\/live\b/.test(request.url ?? '')) return;
        streams.add(response);
        response.once('close', () => streams.delete(response));
      });
      await before?.(app);
    },
  });
  const url = `${served.origin}/elastic-job/`;
  return {
    ...served,
    url,
    /** Streams that are open now. */
    streams: () => streams.size,
  };
}
