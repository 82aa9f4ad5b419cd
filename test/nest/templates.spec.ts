import { ElasticJobTemplate, JobRegistrar, type ShardingContext } from '@app/elastic-job';
import { JobConfigurationApi, JobOperateApi, TemplateLimitError } from '@app/elastic-job/operations';
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
class Unlimited {
  @ElasticJobTemplate('unlimited', { maxJobs: 0 })
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

  it('refuse a job beyond their limits, new or edited, and props that their rule refuses', async () => {
    const broken = new Error('no list of tenants');
    @Injectable()
    class Limited {
      @ElasticJobTemplate('limited', {
        props: { format: 'pdf' },
        maxJobs: 1,
        minIntervalMs: 5_000,
        findPropsFaults: ({ format, tenant }) => {
          if (tenant === 'broken') throw broken;
          return format && tenant ? [] : ['tenant must be given'];
        },
      })
      work(): void {}
    }
    const jobs = await startJobs({ providers: [Limited] });
    const [api, settings] = [jobs.app.get(JobOperateApi), jobs.app.get(JobConfigurationApi)];
    const job = {
      name: 'a',
      template: 'limited',
      cron: '0/5 * * * * ?',
      shardingTotalCount: 1,
      props: { tenant: 'a' },
    };
    const create = (given: object) => whileTimePasses(jobs.clock, api.create({ ...job, ...given }));
    const edit = (given: object) => whileTimePasses(jobs.clock, settings.updateJobConfiguration('a', given));

    await expect(create({ shardingTotalCount: 101 })).rejects.toThrow(TemplateLimitError);
    await expect(create({ cron: EVERY_SECOND })).rejects.toThrow('minIntervalMs');
    await expect(create({ props: {} })).rejects.toThrow('tenant must be given');
    await expect(create({ props: { tenant: 'broken' } })).rejects.toMatchObject({
      code: 'CONFIGURATION',
      cause: broken,
    });
    await create({});
    await expect(create({ name: 'b' })).rejects.toThrow('maxJobs');

    await expect(edit({ shardingTotalCount: 101 })).rejects.toThrow(TemplateLimitError);
    await expect(edit({ props: { tenant: '' } })).rejects.toThrow('tenant must be given');
    await edit({ shardingTotalCount: 100 });
    const change = jobs.app.get(JobRegistrar).change('a', { shardingTotalCount: 101 });
    await expect(whileTimePasses(jobs.clock, change)).rejects.toThrow(TemplateLimitError);
  });

  it.each([
    ['a static method', Static, '@ElasticJobTemplate: a static method has no provider'],
    ['a class without execute', Empty, '@ElasticJobTemplate: the class has no execute(context)'],
    ['a wrong default', Wrong, 'template "wrong" (Wrong.work)'],
    ['a name that no job can have', Misnamed, 'template "a/b"'],
    ['a limit that is none', Unlimited, 'template "unlimited" (Unlimited.work): maxJobs must be a whole number from 1'],
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
