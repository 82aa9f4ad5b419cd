import { ElasticJobTemplate, JobRegistrar, type ShardingContext } from '@app/elastic-job';
import { JobOperateApi } from '@app/elastic-job/operations';
import { Controller, Injectable } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { describe, expect, it } from 'vitest';
import { EVERY_SECOND, QUIET, rootModule, startJobs, whileTimePasses } from './support/job-application.js';

const NEW = { name: 'report-acme', template: 'tenant-report', cron: EVERY_SECOND, shardingTotalCount: 2 };

@Injectable()
class Ledger {
  readonly lines: string[] = [];
}

@Injectable()
class TenantJobs {
  constructor(private readonly ledger: Ledger) {}

  @ElasticJobTemplate('tenant-report', { jobParameter: 'daily', props: { format: 'pdf' } })
  report({ jobName, jobParameter, props, shardingItem }: ShardingContext): void {
    this.ledger.lines.push(`${jobName} ${shardingItem} ${jobParameter} ${props['format']} ${props['tenant']}`);
  }
}

@Injectable()
class Static {
  @ElasticJobTemplate('static')
  static work(): void {}
}

@Injectable()
@ElasticJobTemplate('empty')
class Empty {}

@Injectable()
class Wrong {
  @ElasticJobTemplate('wrong', { cron: 'daily' })
  work(): void {}
}

@Injectable()
class Misnamed {
  @ElasticJobTemplate('a/b')
  work(): void {}
}

@Injectable()
class Second {
  @ElasticJobTemplate('tenant-report')
  other(): void {}
}

@Controller()
class OnController {
  @ElasticJobTemplate('controlled')
  work(): void {}
}

describe('templates of jobs in a Nest application', () => {
  it("run a created job on their provider, by their defaults and the job's settings", async () => {
    const jobs = await startJobs({ providers: [Ledger, TenantJobs] });
    expect(jobs.app.get(JobRegistrar).jobs).toEqual([]);

    const created = jobs.app.get(JobOperateApi).create({ ...NEW, props: { tenant: 'acme' } });
    await whileTimePasses(jobs.clock, created);
    await jobs.clock.advance(2_500);

    const { lines } = jobs.app.get(Ledger);
    expect([...new Set(lines)].toSorted()).toEqual(['report-acme 0 daily pdf acme', 'report-acme 1 daily pdf acme']);
    expect(jobs.app.get(JobRegistrar).jobs).toMatchObject([
      { jobName: 'report-acme', place: 'TenantJobs.report, template "tenant-report"' },
    ]);
    await whileTimePasses(jobs.clock, jobs.app.get(JobOperateApi).remove('report-acme'));
    await jobs.clock.advance(2_000);
    expect(jobs.app.get(JobRegistrar).jobs).toEqual([]);
  });

  it('make each job of a dataflow class stream under its own name', async () => {
    @Injectable()
    @ElasticJobTemplate('import', { props: { 'streaming.process': 'true' } })
    class Import {
      readonly done: string[] = [];

      fetchData({ jobName }: ShardingContext): string[] {
        return this.done.some((line) => line.startsWith(jobName)) ? [] : ['order'];
      }

      processData({ jobName }: ShardingContext, orders: readonly string[]): void {
        this.done.push(`${jobName} ${orders.join()}`);
      }
    }
    const jobs = await startJobs({ providers: [Import] });
    const api = jobs.app.get(JobOperateApi);
    const create = (name: string) => api.create({ ...NEW, name, template: 'import', shardingTotalCount: 1 });

    await whileTimePasses(jobs.clock, Promise.all(['import-a', 'import-b'].map(create)));
    await jobs.clock.advance(2_500);

    expect(jobs.app.get(Import).done.toSorted()).toEqual(['import-a order', 'import-b order']);
  });

  it.each([
    ['a static method', Static, '@ElasticJobTemplate: a static method has no provider'],
    ['a class without execute', Empty, '@ElasticJobTemplate: the class has no execute(context)'],
    ['a wrong default', Wrong, 'template "wrong" (Wrong.work)'],
    ['a name that no job can have', Misnamed, 'template "a/b"'],
  ])('are refused with %s, and the error says what is wrong', async (_, provider, message) => {
    const start = NestFactory.createApplicationContext(rootModule({ providers: [provider] }), QUIET);
    await expect(start).rejects.toThrow(message);
  });

  it('are refused if two have one name, or one is on a controller, and the error says where', async () => {
    const start = (parts: object) => NestFactory.createApplicationContext(rootModule(parts), QUIET);
    await expect(start({ providers: [Ledger, TenantJobs, Second] })).rejects.toThrow(
      'name "tenant-report": TenantJobs.report has it already',
    );
    await expect(start({ controllers: [OnController] })).rejects.toThrow('a controller runs no jobs');
  });
});
