import { MemoryRegistry } from '@app/elastic-job/registry';
import { MemoryTaskCluster, VirtualClock } from '@app/elastic-job/testing';
import { Kysely, SqliteDialect } from 'kysely';
import Libsql from 'libsql';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Instance } from './instance.js';
import { FaxJobs } from './jobs/fax.jobs.js';

describe('an instance of the demo', () => {
  it('that has crashed is kept by nobody once its session is over', async () => {
    const clock = new VirtualClock();
    const database = new Kysely<unknown>({ dialect: new SqliteDialect({ database: new Libsql(':memory:') }) });
    onTestFinished(() => database.destroy());
    const server = new MemoryRegistry(clock);
    const sessions: string[] = [];
    const center = server.center.bind(server);
    server.center = (options) => {
      const made = center(options);
      made.onSession(({ id }) => id !== undefined && sessions.push(id));
      return made;
    };
    const shop = { clock, server, database, tasks: new MemoryTaskCluster({ clock }) };
    const options = { host: '10.0.3.11', pid: 7_001, version: '2.0.0', jobs: [FaxJobs] };
    const instance = await clock.advanceUntil(Instance.start(shop, options));
    const [session = ''] = sessions;
    expect(server.knowsSession(session)).toBe(true);

    instance.crash();
    await clock.advance(5_000);
    expect(server.knowsSession(session)).toBe(true);

    await clock.advance(2_000);
    expect(server.knowsSession(session)).toBe(false);
  });
});
