import { DistributeOnceElasticJobListener, type ElasticJobModuleOptions } from '@app/elastic-job';

/** Its nodes of guarantees can be attacked. It waits for 2 s at most. */
class Waiting extends DistributeOnceElasticJobListener {
  override readonly type = 'WAITING';
  constructor() {
    super(2_000, 2_000);
  }
  doBeforeJobExecutedAtLastStarted(): void {}
  doAfterJobExecutedAtLastCompleted(): void {}
}

/** A job of each kind of nodes: `settle` fires each second, `report` starts after it. */
export const VICTIM_JOBS = {
  jobTypes: [{ type: 'IDLE', findFaults: () => [], execute: () => {} }],
  listeners: [new Waiting()],
  jobs: {
    settle: { type: 'IDLE', cron: '* * * * * ?', shardingTotalCount: 2, failover: true, jobListenerTypes: ['WAITING'] },
    report: { type: 'IDLE', shardingTotalCount: 1, after: ['settle'] },
  },
} satisfies Omit<ElasticJobModuleOptions, 'registry'>;
