import type { BecauseWords } from '../../reruns/because.js';
import type { ChoiceFault } from '../../reruns/choice.js';

const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`;

/** Past fire times that items run once more. A target is one item at one fire time. */
export const reruns = {
  rerun: {
    button: 'Re-run',
    menu: 'Re-run past fire times',
    again: 'Run again',
    noFireTime: 'It cannot run again: nobody knows its fire time.',
    title: (job: string) => `Re-run past fire times of ${job}`,
    will: [
      'Each item runs the chosen fire times once more, the oldest first. A due fire time of the schedule goes before.',
      'The schedule owes nothing more and nothing less. No job that runs after this one is started.',
    ],
    cannot: ['What the items do is done. A checkpoint is neither read nor written.'],
    parameters: 'Parameters of this re-run',
    parametersHint: 'Optional. The handler gets them as trigger.parameters.',
    items: 'Items',
    itemsHint: 'Numbers and ranges, such as 3, 5, 7-9.',
    fireTimes: 'Fire times',
    fireTimesHint: (zone: string) =>
      `One a line, such as 2026-11-22 02:00, in ${zone} or with an offset such as +01:00.`,
    anyTime: 'Also at times that the schedule lacks',
    faults: {
      items: 'Items are numbers and ranges, such as 3, 5, 7-9.',
      'no-fire-time': 'Choose a fire time.',
      fireTime: 'This is no instant, or a clock change leaves it out or has it twice. Then an offset says which:',
      'many-fire-times': 'At most 100 fire times go into one re-run.',
      'many-targets': 'At most 10,000 targets go into one re-run: items times fire times.',
    } satisfies Record<ChoiceFault, string>,
    preview: 'What would become of each',
    asking: 'Asking what would become of each',
    columns: {
      fireTime: 'Fire time',
      item: 'Item',
      last: 'Last',
      newerSuccess: 'Newer success',
      owner: 'Owner',
      begins: 'Begins',
      because: 'Because',
    },
    lasts: { succeeded: 'succeeded', failed: 'failed' },
    unknown: 'unknown',
    yes: 'yes',
    no: 'no',
    begins: { 'at once': 'at once', 'in turn': 'in turn', waits: 'waits', not: 'not' },
    more: (count: string) => `and ${count} more`,
    newer: (count: number) => `${counted(count, 'target')} would run after a success at a later fire time.`,
    refused: 'It would be refused as it is.',
    instead: (time: string) => `Take ${time}`,
    allTheSame: 'Run this time all the same',
    became: (id: string, targets: number) => `Re-run ${id} of ${counted(targets, 'target')} is asked for.`,
    becameWaiting: (id: string, targets: number, count: number, instances: string) =>
      `Re-run ${id} of ${counted(targets, 'target')} is asked for, and waits until ${counted(count, 'instance')} ` +
      `without re-runs ${count === 1 ? 'has' : 'have'} left: ${instances}.`,
  },
  open: {
    title: 'Open re-runs',
    ended: (ended: number, total: number) => `${ended} of ${counted(total, 'target')} ended`,
    failed: (failed: number) => `${failed} failed`,
    fireTimes: (count: number) => counted(count, 'fire time'),
    runs: 'Runs',
    withdrawn: 'Withdrawn',
    waitsFor: (instances: string) => `It waits until instances without re-runs have left: ${instances}.`,
    perItem: 'By item',
    columns: { item: 'Item', ended: 'Ended', failed: 'Failed', left: 'Left' },
    more: (count: string) => `and ${count} more items`,
  },
  withdraw: {
    name: 'Withdraw',
    title: (job: string, id: string) => `Withdraw re-run ${id} of ${job}`,
    will: (left: number) => [
      left === 1 ? 'Its last target does not begin any more.' : `Of its ${left} open targets nothing more begins.`,
      'What runs now goes on to its end.',
    ],
    cannot: ['What has run stays done. The rest can only be asked for anew.'],
    became: 'The re-run is withdrawn.',
  },
  because: [] as BecauseWords,
};
export type RerunTexts = typeof reruns;
