import { installed, writeConfig } from '@test/support/unit/job-settings.js';
import { describe, expect, it } from 'vitest';
import { DistributeOnceElasticJobListener, type ElasticJobListener } from '../../domain/index.js';

/** 02:30 comes twice on that day: at 00:30 and at 01:30 in UTC. */
const DOUBLED = { cron: '0 30 2 * * ?', timeZone: 'Europe/Berlin' };
const MIDNIGHT = Date.UTC(2026, 9, 25);
const FIRST_PASS = Date.UTC(2026, 9, 25, 0, 30);
const SECOND_PASS = Date.UTC(2026, 9, 25, 1, 30);

const ONCE: ElasticJobListener = Object.assign(Object.create(DistributeOnceElasticJobListener.prototype), {
  type: 'once',
  doBeforeJobExecutedAtLastStarted() {},
  doAfterJobExecutedAtLastCompleted() {},
});

describe('JobSettings', () => {
  it.each([
    ['named where Java does not look', ['once'], (text: string) => text, [expect.stringContaining('lacks "once"')]],
    ['named where Java looks', ['once'], (text: string) => `${text}jobListenerTypes: [once]\n`, []],
    ['not named at all', [], (text: string) => text, []],
  ] as const)(
    'shares a distribute-once listener with Java peers only as the node says: %s',
    async (_, jobListenerTypes, edit, unshareable) => {
      const { member, settings } = await installed({ jobListenerTypes }, [ONCE]);
      await writeConfig(member, edit);
      settings.apply(member.tree);
      expect(settings.unshareable(member.tree)).toEqual([]);

      await member.center.create(member.tree.paths.instance('10.0.0.9@-@1'), '', 'EPHEMERAL');
      await member.tree.sync();

      expect(settings.unshareable(member.tree)).toEqual(unshareable);
    },
  );

  it.each([
    ['the registry names it', (text: string) => text, ['STICKY', [expect.stringContaining('strategy "STICKY"')]]],
    ['only the code names it', (text: string) => text.replace(/ {2}nestjs\.strategy.*\n/, ''), ['AVG_ALLOCATION', []]],
    [
      'Java wrote the settings',
      (text: string) => text.replaceAll(/ {2}nestjs\..*\n/g, '  a: b\n'),
      ['AVG_ALLOCATION', []],
    ],
  ])('judges a strategy that Java lacks, beside Java peers, by what the registry says: %s', async (_, edit, judged) => {
    const { member, settings } = await installed({ strategy: 'STICKY' });
    await writeConfig(member, edit);
    await member.center.create(member.tree.paths.instance('10.0.0.9@-@1'), '', 'EPHEMERAL');
    await member.tree.sync();

    settings.apply(member.tree);

    expect([member.configurations.strategy(member.tree).type, settings.unshareable(member.tree)]).toEqual(judged);
  });

  it.each([
    ['auto', false, FIRST_PASS],
    ['auto', true, SECOND_PASS],
    ['quartz', false, SECOND_PASS],
    ['natural', true, FIRST_PASS],
  ] as const)(
    'chooses the pass of a doubled hour by clockChange %s, with a Java peer: %s',
    async (clockChange, firesByQuartz, fireTime) => {
      const { member, settings } = await installed({ ...DOUBLED, clockChange });

      settings.apply(member.tree, firesByQuartz);

      expect(settings.nextFireTimes(MIDNIGHT, 1)).toEqual([fireTime]);
      expect(settings.schedule!.next(MIDNIGHT)).toBe(fireTime);
    },
  );

  it('chooses the first pass of a doubled hour before the registry was asked', async () => {
    const { settings } = await installed(DOUBLED);
    expect(settings.nextFireTimes(MIDNIGHT, 1)).toEqual([FIRST_PASS]);
  });

  it('changes clocks by the rule of Quartz for a node that Java wrote', async () => {
    const { member, settings } = await installed(DOUBLED);
    await writeConfig(member, (text) => text.replace(/ {2}nestjs\.clockChange.*\n/, '  a: b\n'));

    settings.apply(member.tree);

    expect(settings.nextFireTimes(MIDNIGHT, 1)).toEqual([SECOND_PASS]);
  });

  it.each([
    ['auto', false, []],
    ['quartz', false, []],
    ['natural', false, ['clockChange: natural here, quartz in the registry']],
    ['auto', true, ['clockChange: auto here, quartz in the registry']],
  ] as const)(
    'tells of clockChange %s beside a node that Java wrote only what was chosen here or there, there: %s',
    async (clockChange, isChosenThere, differences) => {
      const { member, settings, events } = await installed({ ...DOUBLED, clockChange });
      const props = isChosenThere ? '  nestjs.clockChange: quartz\n' : '  a: b\n';
      await writeConfig(member, (text) => text.replace(/^props:\n(?: .*\n)+/m, `props:\n${props}`));

      settings.apply(member.tree);

      const others = (texts: readonly string[]) => texts.filter((text) => !text.startsWith('props.'));
      expect(others(settings.differences)).toEqual(differences);
      const told = events.flatMap((event) => (event.kind === 'configuration-differs' ? event.differences : []));
      expect(others(told)).toEqual(differences);
      expect(settings.configuration.clockChange).toBe('quartz');
    },
  );

  it('gives no fire times of a one-off job', async () => {
    const { member, settings } = await installed({ cron: undefined });

    settings.apply(member.tree);

    expect(settings.schedule).toBeUndefined();
    expect(settings.nextFireTimes(MIDNIGHT, 3)).toEqual([]);
  });

  it('keeps the last usable text beside an unusable node, and reports the fault once', async () => {
    const { member, settings, events } = await installed();
    await writeConfig(member, () => 'cron: [');

    settings.apply(member.tree);
    settings.apply(member.tree);

    expect([settings.fault, settings.problem, settings.isSound]).toEqual([expect.any(Error), undefined, false]);
    expect(settings.configuration.cron).toBe('0 * * * * ?');
    expect(events).toMatchObject([
      { kind: 'error', message: expect.stringContaining('last usable one'), error: settings.fault },
    ]);
  });

  it('allows no begin after an unusable node if no text was kept, and reports it', async () => {
    const { member, settings, events } = await installed();
    await member.center.delete(member.tree.paths.usableConfig);
    await writeConfig(member, () => 'cron: [');

    settings.apply(member.tree);

    expect([settings.fault, settings.problem]).toEqual([undefined, expect.any(Error)]);
    expect(events).toMatchObject([{ kind: 'error', message: expect.stringContaining('nothing is begun') }]);
  });

  it('puts a repaired node in force, without a further error', async () => {
    const { member, settings, events } = await installed();
    const { data } = (await member.center.read(member.tree.paths.config))!;
    expect(settings.differences).toEqual([]);
    await writeConfig(member, () => 'cron: [');
    settings.apply(member.tree);
    await writeConfig(member, () => data);
    settings.apply(member.tree);
    expect([settings.fault, settings.isSound, settings.differences]).toEqual([undefined, true, []]);
    expect(events.map(({ kind }) => kind)).toEqual(['error']);
  });
});
