import { installed, writeConfig } from '@test/support/unit/job-settings.js';
import { JOB } from '@test/support/unit/member.js';
import { describe, expect, it, vi } from 'vitest';
import type { JobEvent } from '../../tracing/index.js';

const MINUTE = 60_000;

describe('JobSettings', () => {
  it('tells whether the registry differed from the start or was edited since', async () => {
    const { member, settings, events, clock } = await installed();
    await writeConfig(member, (text) => text.replace("jobParameter: ''", 'jobParameter: p'));
    settings.apply(member.tree);
    await clock.advance(MINUTE);
    await writeConfig(member, (text) => text.replace('jobParameter: p', 'jobParameter: q'));
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

  it('reports each difference to the registry once per value', async () => {
    const { member, settings, events, clock } = await installed();
    await writeConfig(member, (text) => text.replace("jobParameter: ''", 'jobParameter: p'));
    settings.apply(member.tree);
    settings.apply(member.tree);
    expect(events).toMatchObject([
      { kind: 'configuration-differs', differences: ["jobParameter: '' here, p in the registry"] },
    ]);

    await clock.advance(MINUTE);
    await writeConfig(member, (text) => text.replace("description: ''", 'description: d'));
    settings.apply(member.tree);
    expect(events.slice(1)).toMatchObject([{ differences: ["description: '' here, d in the registry"] }]);

    await clock.advance(MINUTE);
    await writeConfig(member, (text) => text.replace('jobParameter: p', 'jobParameter: q'));
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
        await writeConfig(member, (text) => (edit % 2 === 0 ? text.replace(ours, theirs) : text.replace(theirs, ours)));
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
        await writeConfig(member, (text) => text.replace(/jobParameter: .*/, `jobParameter: ${value}`));
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
        await writeConfig(member, (text) =>
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
      await writeConfig(member, (text) => text.replace("jobParameter: ''", 'jobParameter: p'));
      settings.apply(member.tree);
      await writeConfig(member, (text) => text.replace("description: ''", 'description: d'));
      settings.apply(member.tree);
      await writeConfig(member, (text) => text.replace('description: d', "description: ''"));
      settings.apply(member.tree);

      await clock.advance(MINUTE);

      expect(events.slice(1)).toMatchObject([{ differences: [], agreed: [], total: 1, count: 2 }]);
    });
  });

  it('tells a return to the code at once if nothing was told for a minute', async () => {
    const { member, settings, events, clock } = await installed();
    settings.apply(member.tree);
    await writeConfig(member, (text) => text.replace("jobParameter: ''", 'jobParameter: p'));
    settings.apply(member.tree);
    await clock.advance(2 * MINUTE);
    await writeConfig(member, (text) => text.replace('jobParameter: p', "jobParameter: ''"));
    settings.apply(member.tree);

    expect(events.slice(1)).toMatchObject([{ differences: [], agreed: ['jobParameter'], total: 0, count: 1 }]);
  });

  it('names at most 20 settings that are as in the code again', async () => {
    const { member, settings, events, clock } = await installed();
    const { data } = (await member.center.read(member.tree.paths.config))!;
    const props = Array.from({ length: 500 }, (_, index) => `  ${'n'.repeat(200)}${index}: v\n`).join('');
    await writeConfig(member, (text) => text.replace(/^props:\n/m, `props:\n${props}`));
    settings.apply(member.tree);
    await writeConfig(member, () => data);
    settings.apply(member.tree);

    await clock.advance(MINUTE);

    expect(events.slice(1)).toMatchObject([{ differences: [], total: 0 }]);
    expect(JSON.stringify(events[1]).length).toBeLessThan(4_000);
  });

  it('reports what is true at the end of the minute', async () => {
    const { member, settings, events, clock } = await installed();
    for (const parameter of ['a', 'b', 'c']) {
      await writeConfig(member, (text) => text.replace(/jobParameter: .*/, `jobParameter: ${parameter}`));
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
    await writeConfig(member, (text) => text.replace('jobParameter: here', `jobParameter: ${written}`));

    settings.apply(member.tree);

    expect(settings.differences).toEqual([`jobParameter: here here, ${shown}`]);
  });

  it('cuts differences, since a node has up to 256 KB', async () => {
    const { member, settings, events } = await installed();
    const long = 'x'.repeat(50_000);
    const props = Array.from({ length: 500 }, (_, index) => `  ${'n'.repeat(100)}${index}: v\n`).join('');
    await writeConfig(member, (text) =>
      text.replace("jobParameter: ''", `jobParameter: ${long}`).replace(/^props:\n/m, `props:\n${props}`),
    );

    settings.apply(member.tree);

    const { differences } = settings;
    expect(differences.at(-1)).toBe(`and ${501 - (differences.length - 1)} others`);
    expect(events).toMatchObject([{ kind: 'configuration-differs', differences }]);
    expect(JSON.stringify(differences).length).toBeLessThan(8_000);
  });

  it('fault 25: hides a password of the registry in the difference that it reports', async () => {
    const { member, settings, events } = await installed();
    await writeConfig(member, (text) =>
      text.replace('jobName', 'jobExtraConfigurations:\n- !!com.acme.T\n  password: secret\njobName'),
    );

    settings.apply(member.tree);

    expect(events).toMatchObject([{ differences: ['jobExtraConfigurations: undefined here, hidden in the registry'] }]);
  });
});

/** All that a line of the log shows of an event. */
function textOf(event: JobEvent): string {
  return JSON.stringify(event);
}
