import { describe, expect, it } from 'vitest';
import { JOB, jobSpec, type Journal, ORDERS, Pulse, RELEASES, useInterop, whyNot } from '../support/index.js';

const TOTAL = 4;
const ITEMS = [...Array(TOTAL).keys()];

describe.skipIf(whyNot()).each(RELEASES)('joining and leaving beside ElasticJob %s', (release) => {
  const stage = useInterop(release);

  it.each(ORDERS)('leads and runs every item on the other kind when a $first leader is killed', async (order) => {
    const { journal } = stage();
    const witness = await stage().witness();
    const [leader, other] = await stage().pair(order);
    await stage().startInTurn(witness, jobSpec(), [leader, other]);

    await leader.kill();

    await journal.until('the other leads', () => witness.leader() === other.ip);
    await journal.until('the other owns all items', () => witness.isSharedBy([other], TOTAL));
    await journal.untilAllRun(ITEMS);
    expect(witness.members()).toEqual([other.ip]);
  });

  it.each(ORDERS)(
    'runs items once each second between changes of members of both kinds, $first first',
    async ({ first, second }) => {
      const { journal } = stage();
      const witness = await stage().witness();
      const [one, two] = await stage().pair({ first, second });
      const three = await stage().peer(first);
      // Java takes each delay for a misfire, and does not tell its handlers why they run.
      const spec = jobSpec({ misfire: false });
      const sharedBy = (...peers: (typeof one)[]) =>
        journal.until(`shared by ${peers.map(({ name }) => name).join()}`, () => witness.isSharedBy(peers, TOTAL));

      await one.start(spec);
      await sharedBy(one);
      await two.start(spec);
      await sharedBy(one, two);
      await expectOnceASecond(journal);
      await one.leave();
      await sharedBy(two);
      await expectOnceASecond(journal);
      await three.start(spec);
      await sharedBy(two, three);
      await expectOnceASecond(journal);
      await two.leave();
      await sharedBy(three);
      await expectOnceASecond(journal);
      expect(witness.leader()).toBe(three.ip);
    },
  );

  it.each(ORDERS)(
    'moves the items to the other kind when Java shuts an instance down, $first leading',
    async (order) => {
      const { journal } = stage();
      const witness = await stage().witness();
      const console = await stage().java();
      const [leader, other] = await stage().pair(order);
      await stage().startInTurn(witness, jobSpec(), [leader, other]);

      await console.console('JobOperateAPI', 'shutdown', JOB, leader.ip);

      await journal.until('the other leads', () => witness.leader() === other.ip);
      await journal.until('the other owns all items', () => witness.isSharedBy([other], TOTAL));
      await journal.untilAllRun(ITEMS);
      expect(witness.members()).toEqual([other.ip]);
    },
  );
});

/** Two seconds without a change of owners or a stall of the machine. They begin with the next second but one. */
async function expectOnceASecond(journal: Journal): Promise<void> {
  let from: number;
  let to: number;
  let pulse: Pulse;
  do {
    pulse = new Pulse();
    from = (Math.floor(Date.now() / 1_000) + 2) * 1_000;
    to = from + 2_000;
    // Checked for each item, because messages of peers arrive at different times. A later run of an item is reported
    // after its earlier ones.
    const isOver = (item: number) => journal.begun().some((run) => run.item === item && run.at >= to);
    await journal.until('two seconds are over', () => ITEMS.every(isOver)).finally(() => pulse.stop());
  } while (pulse.stalledMs > 0);
  const runs = journal.begun().filter(({ at }) => at >= from && at < to);
  const seconds = runs.map(({ at, item }) => `${Math.floor(at / 1_000) - from / 1_000}: item ${item}`);
  expect(seconds.toSorted()).toEqual([0, 1].flatMap((second) => ITEMS.map((item) => `${second}: item ${item}`)));
}
