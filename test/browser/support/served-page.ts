import type { IncomingMessage, ServerResponse } from 'node:http';
import { ElasticJob } from '@app/elastic-job';
import { hashPassword } from '@app/elastic-job/console';
import type { ConsoleRole } from '@app/elastic-job/console';
import { AUTH, SettlingJobs, startConsole } from '../../console/support/console-application.js';

/** People who may log in, by their roles. */
export const PEOPLE = {
  viewer: { name: 'vera', password: 'vera looks only' },
  operator: { name: 'otto', password: 'otto does something' },
  admin: { name: 'ada', password: 'ada does it all' },
} as const satisfies Readonly<Record<ConsoleRole, unknown>>;
const ROLES: readonly ConsoleRole[] = ['viewer', 'operator', 'admin'];
let users: Promise<readonly { name: string; role: ConsoleRole; password: string }[]> | undefined;

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
    ROLES.map(async (role) => {
      const { name, password } = PEOPLE[role];
      return { name, role, password: await hashPassword(password) };
    }),
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
