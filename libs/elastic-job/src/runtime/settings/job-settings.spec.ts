import { JOB, type Member, Registry } from '@test/support/unit/member.js';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { JobTree } from '../../coordination/index.js';
import {
  ConfigurationError,
  DistributeOnceElasticJobListener,
  type ElasticJobListener,
  type JobOptions,
  readListener,
  resolveJobOptions,
  Schedules,
} from '../../domain/index.js';
import { type JobEvent, JobEvents } from '../../tracing/index.js';
import { JobSettings, MixedJob } from './job-settings.js';
import { SettingsReports } from './settings-reports.js';

const MINUTE = 60_000;

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
      await write(member, edit);
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
    await write(member, edit);
    await member.center.create(member.tree.paths.instance('10.0.0.9@-@1'), '', 'EPHEMERAL');
    await member.tree.sync();

    settings.apply(member.tree);

    expect([member.configurations.strategy(member.tree).type, settings.unshareable(member.tree)]).toEqual(judged);
  });

  it.each([
    ['the registry names none', 'AVG_ALLOCATION', (text: string) => text, 1],
    ['the registry names one', 'AVG_ALLOCATION', named('STICKY'), 0],
    ['Java wrote the settings', 'STICKY', (text: string) => text.replaceAll(/ {2}nestjs\..*\n/g, '  a: b\n'), 0],
    ['the code names the default', 'BALANCED', (text: string) => text, 0],
  ])('tells once of a strategy that only its code names: %s', async (_, strategy, edit, times) => {
    const { member, settings, events, clock } = await installed({ strategy });
    await write(member, (text) => edit(text.replace(/^jobShardingStrategyType: .*\n/m, '')));

    settings.apply(member.tree);
    settings.apply(member.tree);
    await clock.advance(MINUTE);

    const told = events.filter((event) => event.kind === 'warning' && event.message.includes(`is ${strategy} while`));
    expect(told).toHaveLength(times);
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
    await write(member, (text) => text.replace(/ {2}nestjs\.clockChange.*\n/, '  a: b\n'));

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
      await write(member, (text) => text.replace(/^props:\n(?: .*\n)+/m, `props:\n${props}`));

      settings.apply(member.tree);

      const others = (texts: readonly string[]) => texts.filter((text) => !text.startsWith('props.'));
      expect(others(settings.differences)).toEqual(differences);
      const told = events.flatMap((event) => (event.kind === 'configuration-differs' ? event.differences : []));
      expect(others(told)).toEqual(differences);
      expect(settings.configuration.clockChange).toBe('quartz');
    },
  );

  it('tells whether the registry differed from the start or was edited since', async () => {
    const { member, settings, events, clock } = await installed();
    await write(member, (text) => text.replace("jobParameter: ''", 'jobParameter: p'));
    settings.apply(member.tree);
    await clock.advance(MINUTE);
    await write(member, (text) => text.replace('jobParameter: p', 'jobParameter: q'));
    settings.apply(member.tree);
    expect(events).toMatchObject([
      { kind: 'configuration-differs', edited: false },
      { kind: 'configuration-differs', edited: true },
    ]);
  });

  it('counts an edit that is not followed as one that needs a look', async () => {
    const { member, settings, events } = await installed();
    settings.apply(member.tree);
    const refused = { field: 'props.http.uri', local: 'hidden', stored: 'hidden', isRefused: true } as const;
    const inForce = { ...member.configurations.inForce(member.tree), differences: [refused] };
    vi.spyOn(member.configurations, 'inForce').mockReturnValue(inForce);

    settings.apply(member.tree);

    expect(events).toMatchObject([{ kind: 'configuration-differs', edited: false }]);
    expect(settings.differences).toMatchObject([expect.stringContaining('not followed')]);
  });

  it('counts the first look at the node as the start, not one before it was there', async () => {
    const { member, settings, events } = await installed();
    const { data } = (await member.center.read(member.tree.paths.config))!;
    await member.center.delete(member.tree.paths.config);
    await member.tree.sync();
    settings.apply(member.tree);
    await member.center.create(
      member.tree.paths.config,
      data.replace("jobParameter: ''", 'jobParameter: p'),
      'PERSISTENT',
    );
    await member.tree.sync();
    settings.apply(member.tree);
    expect(events).toMatchObject([{ kind: 'configuration-differs', edited: false }]);
  });

  it('gives no fire times of a one-off job', async () => {
    const { member, settings } = await installed({ cron: undefined });

    settings.apply(member.tree);

    expect(settings.schedule).toBeUndefined();
    expect(settings.nextFireTimes(MIDNIGHT, 3)).toEqual([]);
  });

  it('reports each difference to the registry once per value', async () => {
    const { member, settings, events, clock } = await installed();
    await write(member, (text) => text.replace("jobParameter: ''", 'jobParameter: p'));
    settings.apply(member.tree);
    settings.apply(member.tree);
    expect(events).toMatchObject([
      { kind: 'configuration-differs', differences: ["jobParameter: '' here, p in the registry"] },
    ]);

    await clock.advance(MINUTE);
    await write(member, (text) => text.replace("description: ''", 'description: d'));
    settings.apply(member.tree);
    expect(events.slice(1)).toMatchObject([{ differences: ["description: '' here, d in the registry"] }]);

    await clock.advance(MINUTE);
    await write(member, (text) => text.replace('jobParameter: p', 'jobParameter: q'));
    settings.apply(member.tree);
    expect(events.slice(2)).toMatchObject([{ differences: ["jobParameter: '' here, q in the registry"] }]);
  });

  it.each([
    ['a difference', "jobParameter: ''", 'jobParameter: p'],
    ['an unusable node', 'cron: 0 * * * * ?', 'cron: nonsense'],
    ['a one-off job', 'cron: 0 * * * * ?', "cron: ''"],
    ['idle failover', 'monitorExecution: true', 'monitorExecution: false'],
    ['a cron that never fires', 'cron: 0 * * * * ?', 'cron: 0 0 0 30 2 ?'],
  ])('reports %s that edits bring and take away at most once a minute', async (_kind, ours, theirs) => {
    const { member, settings, events, clock } = await installed({ failover: true });
    settings.apply(member.tree);
    const edits = async (count: number) => {
      for (let edit = 0; edit < count; edit += 1) {
        await write(member, (text) => (edit % 2 === 0 ? text.replace(ours, theirs) : text.replace(theirs, ours)));
        settings.apply(member.tree);
      }
    };
    const mostOfAKind = () =>
      Math.max(...events.map((one) => events.filter((other) => textOf(one) === textOf(other)).length));

    await edits(100);
    expect(mostOfAKind()).toBe(1);
    await clock.advance(MINUTE);
    expect(mostOfAKind()).toBe(1);
    await edits(1);
    await clock.advance(MINUTE);
    expect(mostOfAKind()).toBe(2);
  });

  describe('after edits within a minute', () => {
    it.each([
      ['the return to the code', ['p', "''"], { differences: [], agreed: ['jobParameter'], total: 0, count: 1 }],
      [
        'the last of several values',
        ['p', 'q', "''", 'r'],
        { differences: ["jobParameter: '' here, r in the registry"], agreed: [], total: 1, count: 3 },
      ],
      [
        'the value that was told before',
        ['p', "''", 'p'],
        { differences: ["jobParameter: '' here, p in the registry"], agreed: [], total: 1, count: 2 },
      ],
    ])('tells %s in one event, with the number of changes', async (_, values, last) => {
      const { member, settings, events, clock } = await installed();
      settings.apply(member.tree);
      for (const value of values) {
        await write(member, (text) => text.replace(/jobParameter: .*/, `jobParameter: ${value}`));
        settings.apply(member.tree);
        settings.apply(member.tree);
      }
      expect(events).toMatchObject([{ differences: ["jobParameter: '' here, p in the registry"], count: 1 }]);

      await clock.advance(MINUTE);
      await clock.advance(10 * MINUTE);

      const told = { kind: 'configuration-differs', jobName: JOB, edited: true, isRefused: false, overwrite: false };
      expect(events.slice(1)).toEqual([{ ...told, ...last }]);
    });

    it('tells which settings are as in the code again while others still differ', async () => {
      const { member, settings, events, clock } = await installed();
      settings.apply(member.tree);
      const edit = async (parameter: string, description: string) => {
        await write(member, (text) =>
          text
            .replace(/jobParameter: .*/, `jobParameter: ${parameter}`)
            .replace(/^description: .*/m, `description: ${description}`),
        );
        settings.apply(member.tree);
      };
      await edit('p', 'd');
      await edit("''", 'd');

      await clock.advance(MINUTE);

      expect(events.slice(1)).toMatchObject([{ differences: [], agreed: ['jobParameter'], total: 1, count: 1 }]);
    });

    it('tells that something was changed and changed back, if nothing else is true', async () => {
      const { member, settings, events, clock } = await installed();
      settings.apply(member.tree);
      await write(member, (text) => text.replace("jobParameter: ''", 'jobParameter: p'));
      settings.apply(member.tree);
      await write(member, (text) => text.replace("description: ''", 'description: d'));
      settings.apply(member.tree);
      await write(member, (text) => text.replace('description: d', "description: ''"));
      settings.apply(member.tree);

      await clock.advance(MINUTE);

      expect(events.slice(1)).toMatchObject([{ differences: [], agreed: [], total: 1, count: 2 }]);
    });
  });

  it('tells a return to the code at once if nothing was told for a minute', async () => {
    const { member, settings, events, clock } = await installed();
    settings.apply(member.tree);
    await write(member, (text) => text.replace("jobParameter: ''", 'jobParameter: p'));
    settings.apply(member.tree);
    await clock.advance(2 * MINUTE);
    await write(member, (text) => text.replace('jobParameter: p', "jobParameter: ''"));
    settings.apply(member.tree);

    expect(events.slice(1)).toMatchObject([{ differences: [], agreed: ['jobParameter'], total: 0, count: 1 }]);
  });

  it('names at most 20 settings that are as in the code again', async () => {
    const { member, settings, events, clock } = await installed();
    const { data } = (await member.center.read(member.tree.paths.config))!;
    const props = Array.from({ length: 500 }, (_, index) => `  ${'n'.repeat(200)}${index}: v\n`).join('');
    await write(member, (text) => text.replace(/^props:\n/m, `props:\n${props}`));
    settings.apply(member.tree);
    await write(member, () => data);
    settings.apply(member.tree);

    await clock.advance(MINUTE);

    expect(events.slice(1)).toMatchObject([{ differences: [], total: 0 }]);
    expect(JSON.stringify(events[1]).length).toBeLessThan(4_000);
  });

  it('reports what is true at the end of the minute', async () => {
    const { member, settings, events, clock } = await installed();
    for (const parameter of ['a', 'b', 'c']) {
      await write(member, (text) => text.replace(/jobParameter: .*/, `jobParameter: ${parameter}`));
      settings.apply(member.tree);
    }

    await clock.advance(MINUTE);

    expect(events).toMatchObject([
      { differences: ["jobParameter: '' here, a in the registry"] },
      { differences: ["jobParameter: '' here, c in the registry"] },
    ]);
  });

  it.each([
    ['an empty text', "''", "'' in the registry"],
    ['a blank', "' '", "' ' in the registry"],
    ['a text with blanks around it', "' p '", "' p ' in the registry"],
    ['any other text', "'p q'", 'p q in the registry'],
  ])('shows %s so that a reader sees all of it', async (_, written, shown) => {
    const { member, settings } = await installed({ jobParameter: 'here' });
    await write(member, (text) => text.replace('jobParameter: here', `jobParameter: ${written}`));

    settings.apply(member.tree);

    expect(settings.differences).toEqual([`jobParameter: here here, ${shown}`]);
  });

  it('cuts differences, since a node has up to 256 KB', async () => {
    const { member, settings, events } = await installed();
    const long = 'x'.repeat(50_000);
    const props = Array.from({ length: 500 }, (_, index) => `  ${'n'.repeat(100)}${index}: v\n`).join('');
    await write(member, (text) =>
      text.replace("jobParameter: ''", `jobParameter: ${long}`).replace(/^props:\n/m, `props:\n${props}`),
    );

    settings.apply(member.tree);

    const { differences } = settings;
    expect(differences.at(-1)).toBe(`and ${501 - (differences.length - 1)} others`);
    expect(events).toMatchObject([{ kind: 'configuration-differs', differences }]);
    expect(JSON.stringify(differences).length).toBeLessThan(8_000);
  });

  it('warns once, with both remedies, of failover without monitorExecution in the registry', async () => {
    const { member, settings, events, clock } = await installed({ failover: true });
    const warnings = () => events.flatMap((event) => (event.kind === 'warning' ? [event.message] : []));
    await write(member, (text) => text.replace('monitorExecution: true', 'monitorExecution: false'));
    settings.apply(member.tree);
    await write(member, (text) => text.replace("description: ''", 'description: d'));
    settings.apply(member.tree);
    await clock.advance(MINUTE);
    expect(warnings()).toEqual([
      'failover is true in the registry, but has no effect, since monitorExecution is false there; ' +
        'set monitorExecution to true, or failover to false',
    ]);

    await clock.advance(MINUTE);
    await write(member, (text) => text.replace('failover: true', 'failover: false'));
    settings.apply(member.tree);
    await write(member, (text) => text.replace('failover: false', 'failover: true'));
    settings.apply(member.tree);
    expect(warnings()).toHaveLength(2);
  });

  it('fault 25: hides a password of the registry in the difference that it reports', async () => {
    const { member, settings, events } = await installed();
    await write(member, (text) =>
      text.replace('jobName', 'jobExtraConfigurations:\n- !!com.acme.T\n  password: secret\njobName'),
    );

    settings.apply(member.tree);

    expect(events).toMatchObject([{ differences: ['jobExtraConfigurations: undefined here, hidden in the registry'] }]);
  });

  it('keeps the last usable text beside an unusable node, and reports the fault once', async () => {
    const { member, settings, events } = await installed();
    await write(member, () => 'cron: [');

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
    await write(member, () => 'cron: [');

    settings.apply(member.tree);

    expect([settings.fault, settings.problem]).toEqual([undefined, expect.any(Error)]);
    expect(events).toMatchObject([{ kind: 'error', message: expect.stringContaining('nothing is begun') }]);
  });

  it('puts a repaired node in force, without a further error', async () => {
    const { member, settings, events } = await installed();
    const { data } = (await member.center.read(member.tree.paths.config))!;
    expect(settings.differences).toEqual([]);
    await write(member, () => 'cron: [');
    settings.apply(member.tree);
    await write(member, () => data);
    settings.apply(member.tree);
    expect([settings.fault, settings.isSound, settings.differences]).toEqual([undefined, true, []]);
    expect(events.map(({ kind }) => kind)).toEqual(['error']);
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
      await write(member, (text) => text.replace(before, after));
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
    await write(member, (text) =>
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
    await write(member, (text) => text.replace('cron: 0 * * * * ?', `cron: ${cron}`));

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

async function installed(options: Partial<JobOptions> = {}, listeners: readonly ElasticJobListener[] = []) {
  const registry = new Registry();
  const member = await registry.member(options);
  await member.configurations.install(member.tree);
  const events: JobEvent[] = [];
  const jobEvents = new JobEvents();
  jobEvents.on((event) => events.push(event));
  const local = resolveJobOptions(
    { name: JOB, cron: '0 * * * * ?', shardingTotalCount: 4, ...options },
    { place: 'spec' },
  );
  const news = new SettingsReports(registry.clock);
  const settings = new JobSettings(
    local,
    member.configurations,
    jobEvents,
    new Schedules(),
    news,
    listeners.map(readListener),
  );
  return { member, events, settings, clock: registry.clock };
}

function named(type: string): (text: string) => string {
  return (text) => text.replace(/^props:\n/m, `props:\n  nestjs.strategy: ${type}\n`);
}

/** All that a line of the log shows of an event. */
function textOf(event: JobEvent): string {
  return JSON.stringify(event);
}

async function write({ center, tree }: Member, edit: (text: string) => string): Promise<void> {
  await center.set(tree.paths.config, edit((await center.read(tree.paths.config))!.data));
  await tree.sync();
}

const JAVA = '10.0.0.9@-@4711';
const CONFIGURATION = resolveJobOptions(
  { name: 'import', cron: '0 * * * * ?', shardingTotalCount: 1 },
  { place: 'spec' },
);

let peers: string[];
let unshareable: string[];
let told: JobEvent[];
let mixed: MixedJob;
const tree: JobTree = Object.assign(Object.create(null), { jobName: 'import', peers: () => peers });
beforeEach(() => {
  [peers, unshareable, told] = [[], [], []];
  const settings: JobSettings = Object.assign(Object.create(null), { unshareable: () => unshareable });
  const events = new JobEvents();
  events.on((event) => void told.push(event));
  const definition = { configuration: CONFIGURATION, className: 'import', place: 'Jobs.import', handler: () => {} };
  mixed = new MixedJob(definition, settings, events);
});

it('refuses settings that Java does not know beside a peer, and names them', () => {
  [peers, unshareable] = [[JAVA], ['misfirePolicy all']];
  expect(() => mixed.assertShareable(tree)).toThrow(ConfigurationError);
  expect(() => mixed.assertShareable(tree)).toThrow(
    /job "import" \(Jobs\.import\), shared with Java \(10\.0\.0\.9@-@4711\).*misfirePolicy all/s,
  );
  expect(mixed.problem(tree)).toBe(`begins nothing while shared with ${JAVA}: misfirePolicy all`);
});

it('names a few of thousands of peers in its texts', () => {
  peers = Array.from({ length: 3_000 }, (_, index) => `10.0.0.9@-@${index}`);
  unshareable = ['misfirePolicy all'];
  expect(mixed.problem(tree)).toMatch(/10\.0\.0\.9@-@19 and 2980 more: misfirePolicy all$/);
  expect(() => mixed.assertShareable(tree)).toThrow(/and 2980 more/);
});

it('accepts settings that Java shares', () => {
  peers = [JAVA];
  mixed.assertShareable(tree);
  expect(mixed.problem(tree)).toBeUndefined();
});

it('reports peers once while they are the same', () => {
  expect(mixed.reportPeers(tree)).toBe(false);
  peers = [JAVA];
  expect([mixed.reportPeers(tree), mixed.reportPeers(tree)]).toEqual([true, false]);
  expect(told).toEqual([{ kind: 'mixed', jobName: 'import', peers: [JAVA], unshareable: [] }]);
});

it('reports peers again if settings can no longer be shared', () => {
  peers = [JAVA];
  mixed.reportPeers(tree);
  unshareable = ['misfirePolicy all'];
  expect(mixed.reportPeers(tree)).toBe(true);
  expect(told.slice(1)).toMatchObject([{ unshareable: ['misfirePolicy all'] }]);
});

it('notices that all peers have left, without another event', () => {
  peers = [JAVA];
  mixed.reportPeers(tree);
  peers = [];
  expect(mixed.reportPeers(tree)).toBe(true);
  expect(told).toHaveLength(1);
});
