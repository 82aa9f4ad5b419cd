import { ConfigurationError, ElasticJob, type JobErrorHandler } from '@app/elastic-job';
import type { FailureReport } from '@app/elastic-job/error-handlers';
import { EmailErrorHandler } from '@app/elastic-job/email';
import { describe, expect, it } from 'vitest';
import { EVERY_SECOND, startJobs } from './support/job-application.js';

describe("the module's error handlers", () => {
  it('tell a handler of the application that an item has failed', async () => {
    class Pager implements JobErrorHandler {
      readonly type = 'PAGER';
      readonly reports: FailureReport[] = [];
      handle = (report: FailureReport) => void this.reports.push(report);
    }
    class OrderJobs {
      @ElasticJob({ name: 'settle-orders', cron: EVERY_SECOND, shardingTotalCount: 1, jobErrorHandlerType: 'PAGER' })
      settle(): void {
        throw new Error('out of stock');
      }
    }
    const pager = new Pager();
    const jobs = await startJobs({ providers: [OrderJobs], options: { errorHandlers: [pager], errorWindowMs: 2_500 } });
    await jobs.tick();
    expect(pager.reports).toMatchObject([{ jobName: 'settle-orders', count: 1, error: { message: 'out of stock' } }]);
    for (let second = 0; second < 3; second += 1) await jobs.tick();
    expect(pager.reports).toMatchObject([{ count: 1 }, { count: 2 }]);
  });

  it('stop the start if EMAIL has no props, and the error names job, method and property', async () => {
    class OrderJobs {
      @ElasticJob({
        name: 'settle-orders',
        cron: EVERY_SECOND,
        shardingTotalCount: 1,
        jobErrorHandlerType: 'EMAIL',
        props: { 'email.from': 'jobs@example.org', 'email.password': 's3cret' },
      })
      settle(): void {}
    }
    const start = (options: object) => startJobs({ providers: [OrderJobs], options });
    await expect(start({ errorHandlers: [new EmailErrorHandler({ host: 'mail' })] })).rejects.toThrow(
      /^job "settle-orders" \(OrderJobs\.settle\): props: email\.to must be given, for jobErrorHandlerType "EMAIL"$/,
    );
    await expect(start({})).rejects.toThrow(/EmailErrorHandler\(\) of 'nestjs-elastic-job\/email'/);
    await expect(start({})).rejects.not.toThrow(/s3cret/);
  });

  it.each([
    [{ errorHandlers: [{ type: 'PAGER' }] }, 'errorHandlers must be error handlers, with a type and handle, but has'],
    [{ errorHandlers: 'PAGER' }, 'errorHandlers must be a list of error handlers'],
    [{ errorWindowMs: 0 }, 'errorWindowMs must be a whole number from 1 to 2147483647, but is 0'],
    [{ errorHandlers: [{ type: 'LOG', handle: () => {} }] }, 'errorHandlers: there is more than one of the type "LOG"'],
  ])('stop the start with %j, and the error names the option', async (options, fault) => {
    const wrong: object = options;
    const starting = startJobs({ options: wrong });
    await expect(starting).rejects.toThrow(ConfigurationError);
    await expect(starting).rejects.toThrow(`module options: ${fault}`);
  });
});
