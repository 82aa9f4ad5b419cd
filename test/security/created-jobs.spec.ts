import { ElasticJob, ElasticJobTemplate } from '@app/elastic-job';
import { Injectable, Module } from '@nestjs/common';
import { describe, expect, it } from 'vitest';
import { creation } from '../../libs/elastic-job/src/registry/index.js';
import { until, Victim } from './support/attack.js';

const OWN = 'own';
const TEMPLATE = 'report';
const EACH_SECOND = '* * * * * ?';
const JOBS = 60;
const ITEMS = 500;
/** Runs of the own job that are waited for. */
const RUNS = 10;
/** Ends what hangs. */
const LIMIT_MS = 180_000;

@Injectable()
class Jobs {
  @ElasticJob({ name: OWN, cron: EACH_SECOND, shardingTotalCount: 1 })
  settle(): void {}

  @ElasticJobTemplate(TEMPLATE, { maxItems: ITEMS })
  report(): void {}

  @ElasticJobTemplate('limited')
  limited(): void {}
}

@Module({ providers: [Jobs] })
class JobsModule {}

describe('an attacker who creates jobs in the registry', () => {
  it("takes no run from the code's jobs: 60 jobs of 500 items each second", { timeout: LIMIT_MS }, async () => {
    const victim = await Victim.start({}, { imports: [JobsModule] });
    const most = mostUnrecorded(victim);
    await until(() => victim.settled(OWN).length > 0);

    await createJobs(victim, TEMPLATE, JOBS, ITEMS);
    await until(() => victim.told('begun').some(({ trigger }) => trigger.jobName !== OWN), LIMIT_MS);
    const before = victim.settled(OWN).length;
    await until(() => victim.settled(OWN).length >= before + RUNS, LIMIT_MS);

    expect(victim.told('session')).toEqual([]);
    expect(victim.told('settled').length).toBeGreaterThan(2 * ITEMS);
    // Each item that was begun holds memory until it is recorded.
    expect(most()).toBeLessThanOrEqual(3 * ITEMS);
  });

  it('has none of them run beyond the limits of their template', async () => {
    const victim = await Victim.start({}, { imports: [JobsModule] });

    await createJobs(victim, 'limited', 3, ITEMS);
    await until(() => victim.told('error').length === 3);

    expect(victim.told('joined').map(({ jobName }) => jobName)).not.toContain('x-0');
    for (const { error } of victim.told('error')) {
      expect(error).toMatchObject({ code: 'TEMPLATE_LIMIT', limit: 'maxItems', allowed: 100, value: ITEMS });
    }
  });
});

async function createJobs({ attacker }: Victim, template: string, jobs: number, items: number): Promise<void> {
  const operations = Array.from({ length: jobs }, (_, n) => `x-${n}`).flatMap((name) => [
    creation(`/${name}`, `nestjs.template:${template}`),
    creation(`/${name}/config`, configOf(name, template, items)),
  ]);
  await attacker.transaction(operations);
}

function configOf(name: string, template: string, items: number): string {
  return [
    `jobName: ${name}`,
    `cron: '${EACH_SECOND}'`,
    `shardingTotalCount: ${items}`,
    'props:',
    `  nestjs.template: ${template}`,
    '',
  ].join('\n');
}

/** Returns a function that gives the most items that were begun, and not recorded, at the same time. */
function mostUnrecorded({ listen }: Pick<Victim, 'listen'>): () => number {
  let [unrecorded, most] = [0, 0];
  listen((event) => {
    const isCreated = 'trigger' in event && event.trigger.jobName !== OWN;
    if (isCreated && event.kind === 'begun') unrecorded += event.items.length;
    if (isCreated && event.kind === 'settled') unrecorded -= 1;
    most = Math.max(most, unrecorded);
  });
  return () => most;
}
