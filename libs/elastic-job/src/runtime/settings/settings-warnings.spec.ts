import { installed, writeConfig } from '@test/support/unit/job-settings.js';
import { JOB } from '@test/support/unit/member.js';
import { describe, expect, it } from 'vitest';

const MINUTE = 60_000;

describe('JobSettings', () => {
  it.each([
    ['the registry names none', 'AVG_ALLOCATION', (text: string) => text, 1],
    ['the registry names one', 'AVG_ALLOCATION', named('STICKY'), 0],
    ['Java wrote the settings', 'STICKY', (text: string) => text.replaceAll(/ {2}nestjs\..*\n/g, '  a: b\n'), 0],
    ['the code names the default', 'BALANCED', (text: string) => text, 0],
  ])('tells once of a strategy that only its code names: %s', async (_, strategy, edit, times) => {
    const { member, settings, events, clock } = await installed({ strategy });
    await writeConfig(member, (text) => edit(text.replace(/^jobShardingStrategyType: .*\n/m, '')));

    settings.apply(member.tree);
    settings.apply(member.tree);
    await clock.advance(MINUTE);

    const told = events.filter((event) => event.kind === 'warning' && event.message.includes(`is ${strategy} while`));
    expect(told).toHaveLength(times);
  });

  it('warns once, with both remedies, of failover without monitorExecution in the registry', async () => {
    const { member, settings, events, clock } = await installed({ failover: true });
    const warnings = () => events.flatMap((event) => (event.kind === 'warning' ? [event.message] : []));
    await writeConfig(member, (text) => text.replace('monitorExecution: true', 'monitorExecution: false'));
    settings.apply(member.tree);
    await writeConfig(member, (text) => text.replace("description: ''", 'description: d'));
    settings.apply(member.tree);
    await clock.advance(MINUTE);
    expect(warnings()).toEqual([
      'failover is true in the registry, but has no effect, since monitorExecution is false there; ' +
        'set monitorExecution to true, or failover to false',
    ]);

    await clock.advance(MINUTE);
    await writeConfig(member, (text) => text.replace('failover: true', 'failover: false'));
    settings.apply(member.tree);
    await writeConfig(member, (text) => text.replace('failover: false', 'failover: true'));
    settings.apply(member.tree);
    expect(warnings()).toHaveLength(2);
  });

  it('warns once of a job that the registry has made a one-off job, as long as it is one', async () => {
    const { member, settings, events, clock } = await installed();
    const edits = [
      ['cron: 0 * * * * ?', "cron: ''"],
      ["description: ''", 'description: d'],
      ["cron: ''", 'cron: 0 * * * * ?'],
      ['cron: 0 * * * * ?', "cron: ''"],
      ["cron: ''", 'cron: 0 * * * * ?'],
    ] as const;

    for (const [before, after] of edits) {
      await writeConfig(member, (text) => text.replace(before, after));
      settings.apply(member.tree);
    }
    await clock.advance(MINUTE);

    expect(events.filter(({ kind }) => kind === 'warning')).toEqual([
      { kind: 'warning', jobName: JOB, message: expect.stringContaining('it is a one-off job now') },
    ]);
  });

  it('warns of no one-off job if the code has none either', async () => {
    const { member, settings, events } = await installed({ cron: undefined });
    settings.apply(member.tree);
    expect(events).toEqual([]);
  });

  it('warns of no one-off job if a job started after others has no cron in the registry', async () => {
    const { member, settings, events } = await installed();
    await writeConfig(member, (text) =>
      text.replace('cron: 0 * * * * ?', "cron: ''").replace(/ {2}nestjs\.clockChange.*\n/, '  nestjs.after: import\n'),
    );
    settings.apply(member.tree);
    expect(settings.configuration).toMatchObject({ cron: undefined, after: ['import'] });
    expect(events.filter(({ kind }) => kind === 'warning')).toEqual([]);
  });

  it.each([
    ['0 0 0 30 2 ?', 'never fires'],
    ['0 0 0 1 1 ? 1999', 'is over, its last fire time was 1999-01-01T00:00:00.000Z'],
  ])('follows a cron of the registry without a fire time, and warns once: %s', async (cron, end) => {
    const { member, settings, events } = await installed({ timeZone: 'UTC' });
    await writeConfig(member, (text) => text.replace('cron: 0 * * * * ?', `cron: ${cron}`));

    settings.apply(member.tree);
    settings.apply(member.tree);

    expect([settings.configuration.cron, settings.fault]).toEqual([cron, undefined]);
    expect(events.filter(({ kind }) => kind === 'warning')).toMatchObject([
      {
        message:
          `the registry's cron "${cron}" ${end}, so it runs only when it is triggered; ` +
          'edit it there, or remove the job',
      },
    ]);
  });
});

function named(type: string): (text: string) => string {
  return (text) => text.replace(/^props:\n/m, `props:\n  nestjs.strategy: ${type}\n`);
}
