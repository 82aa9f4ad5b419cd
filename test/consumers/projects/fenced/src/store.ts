import { Kysely, SqliteDialect } from 'kysely';
import Database from 'libsql';
import type { ShardingContext } from 'nestjs-elastic-job';
import { createTestCluster } from 'nestjs-elastic-job/testing';
import { SqlGuard } from 'nestjs-elastic-job/guards/sql';
import { SqlHistory } from 'nestjs-elastic-job/tracing/sql';

interface Tables {
  report: { city: string };
}

const db = new Kysely<Tables>({ dialect: new SqliteDialect({ database: new Database(':memory:') }) });
const guard = new SqlGuard(db);
await guard.createTable();
await db.schema.createTable('report').addColumn('city', 'text').execute();

const report = (context: ShardingContext) =>
  guard.write(context, (trx) => trx.insertInto('report').values({ city: 'Shanghai' }).execute());
const job = { name: 'city-report', cron: '* * * * * ?', shardingTotalCount: 2, handler: report };
const cluster = await createTestCluster({ instances: 2, jobs: [job] });
await cluster.advance(2_500);
await cluster.stop();

const reports = await db.selectFrom('report').selectAll().execute();
const history = new SqlHistory(db);
await history.migrate();
await history.executions();
await db.destroy();
if (reports.length < 4) throw new Error(`${reports.length} reports were written.`);
