import { describe, expect, it } from 'vitest';
import { JOB, jobSpec, NEVER, RELEASES, useInterop, whyNot } from './support/index.js';

describe.skipIf(whyNot()).each(RELEASES)('ElasticJob %s', (release) => {
  const stage = useInterop(release);

  it('runs the items of a scheduled job, and removes the instance at a shutdown', async () => {
    const { journal } = stage();
    const witness = await stage().witness();
    const java = await stage().java();

    await java.start(jobSpec());

    await journal.until('every item has run', () => new Set(journal.begun().map(({ item }) => item)).size === 4);
    await witness.sync();
    expect(witness.leader()).toBe(java.ip);
    expect(witness.owners(4)).toEqual([java.ip, java.ip, java.ip, java.ip]);
    await java.stopJob(JOB);
    await journal.until('its instance is gone', () => witness.members().length === 0);
  });

  it('dumps its tree as the same text as ours', async () => {
    const { journal } = stage();
    const witness = await stage().witness();
    const peers = [await stage().java(), await stage().java()] as const;
    const texts = { shardingItemParameters: '0=Köln,1=上海', description: 'two\nlines' };
    await stage().startAtRest(witness, jobSpec({ ...texts, cron: NEVER, failover: true }), peers);
    await stage().fireOnce(peers[0]);
    await journal.until(
      'every item has ended',
      () => journal.events.filter(({ event }) => event === 'ended').length === 4,
    );
    await witness.sync();
    await journal.until('nothing runs', () => witness.isAtRest());

    const ours = await stage().node();
    // Java writes a flag or two after its last run, so the test waits for a tree that does not change meanwhile.
    let theirs: string;
    let same: string;
    do {
      theirs = await peers[0].dump(JOB);
      same = await ours.dump(JOB);
    } while ((await peers[0].dump(JOB)) !== theirs);

    expect(same).toBe(theirs);
    expect(theirs).toContain('0=Köln,1=上海');
  });
});
