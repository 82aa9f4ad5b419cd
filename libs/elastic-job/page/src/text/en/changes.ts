/**
 * The dialog of each change: what it is called, what will happen, and what cannot be undone. `will` and `cannot` are
 * whole sentences.
 */
const forever = 'What has run meanwhile cannot be undone.';

export const changes = {
  reason: 'Reason',
  reasonHint: 'Stays in the audit, for all who look there.',
  reasonNeeded: 'This console asks for a reason.',
  reasonLine: 'A reason is one line of at most 512 characters.',
  typeName: (name: string) => `Type ${name} to confirm`,
  will: 'What will happen',
  cannot: 'What cannot be undone',
  cannotNone: 'Nothing is lost by it.',
  cancel: 'Cancel',
  close: 'Close',
  waiting: 'Waiting for the registry',
  note: 'What does not follow',
  disabledBy: (name: string, reason: string | null) =>
    reason === null ? `Until now ${name} has disabled it.` : `Until now ${name} has disabled it: “${reason}”`,
  audit: (id: string) => `Entry ${id} of the audit`,
  failed: 'It was not done',
  partly: 'A part of it is done',
  unknown: 'Nobody knows if it was done',
  unknownMore: 'The answer was lost, and it is not sent again by itself. Look first, then decide.',
  look: 'Look',
  conflict: 'Somebody was faster',
  conflictMore: 'The settings were changed meanwhile. Nothing of yours was written.',
  trigger: {
    name: 'Run now',
    title: (job: string) => `Run ${job} now`,
    will: (instances: number) => [
      instances === 1
        ? 'Its one instance is asked to run its items once, now.'
        : `Each of its ${instances} instances is asked to run its items once, now.`,
      'An item that still runs is not started twice.',
    ],
    cannot: ['What the items do is done.'],
    parameters: 'Parameters of this run',
    parametersHint: 'Optional. The handler gets them as trigger.parameters.',
    became: (asked: number, pending: number) => {
      const were = asked === 1 ? 'instance was' : 'instances were';
      const late = pending === 0 ? '' : `, ${pending} of them have not begun an earlier request yet`;
      return `${asked} ${were} asked${late}.`;
    },
    skipped: {
      disabled: 'Nothing will run: the job is disabled.',
      resident: 'Nothing will run: the job always runs.',
      'no-instance': 'Nothing will run: no instance is there.',
    },
  },
  enable: {
    name: 'Enable',
    title: (job: string) => `Enable ${job}`,
    will: ['The job runs again on all servers, also on those to come, from its next fire time on.'],
    cannot: ['Fire times that have passed are not made up for.'],
    became: 'The job is enabled.',
  },
  disable: {
    name: 'Disable',
    title: (job: string) => `Disable ${job}`,
    will: [
      'Nothing of it begins any more, on all servers, also on those to come.',
      'What runs now goes on to its end.',
    ],
    cannot: ['Fire times pass without a run while it is disabled.'],
    became: 'The job is disabled.',
  },
  reshard: {
    name: 'Reshard',
    title: (job: string) => `Reshard ${job}`,
    will: ['The leader assigns all items anew before the next run. Items may move to other instances.'],
    cannot: [] as string[],
    became: 'The leader was asked.',
  },
  resign: {
    name: 'Have the leader resign',
    title: (job: string) => `Have the leader of ${job} resign`,
    will: (leader: string | null) => [
      leader === null
        ? 'Nobody leads now, so nothing happens.'
        : `${leader} leads no longer. Another leader is elected at once.`,
      'Items stay where they are, and runs go on.',
      'It may lead again a second later if nobody else does.',
    ],
    cannot: [] as string[],
    became: (leader: string | null) => (leader === null ? 'Nobody has led.' : `${leader} has resigned.`),
  },
  shutdown: {
    name: 'Take all instances out',
    title: (job: string) => `Take all instances out of ${job}`,
    will: (instances: number) => [
      instances === 1
        ? 'Its one instance leaves the job, until its process is restarted.'
        : `All of its ${instances} instances leave the job, until their processes are restarted.`,
      'What runs now is aborted: its signal tells it to end. Nothing else begins.',
    ],
    cannot: ['No change of this page brings them back. Their processes have to be restarted.'],
    became: (count: number) => `${count === 1 ? '1 instance was' : `${count} instances were`} told to leave.`,
  },
  remove: {
    name: 'Remove the job',
    title: (job: string) => `Remove ${job}`,
    will: [
      'Its settings, items, records and all other nodes are removed from the registry.',
      'A job of a template lets its present runs end first.',
    ],
    cannot: ['Its settings are lost. A process whose code has the job may make it anew with those of its code.'],
    became: 'The job is removed, or will be once its runs have ended.',
  },
  enableItem: {
    name: 'Enable',
    title: (job: string, item: number) => `Enable item ${item} of ${job}`,
    will: ['The item runs again from the next fire time on.'],
    cannot: ['Fire times that have passed are not made up for.'],
    became: 'The item is enabled.',
  },
  disableItem: {
    name: 'Disable',
    title: (job: string, item: number) => `Disable item ${item} of ${job}`,
    will: ['Its present run goes on. The next trigger skips it.'],
    cannot: ['Fire times pass without a run of it.'],
    became: 'The item is disabled.',
  },
  cancelItem: {
    name: 'Cancel the run',
    title: (job: string, item: number) => `Cancel the run of item ${item} of ${job}`,
    will: ['The instance that runs it aborts its signal. A handler that does not heed the signal goes on.'],
    cannot: [forever, 'The run is recorded as aborted.'],
    became: (instance: string) => `${instance} was asked to end it.`,
  },
  confirmLost: {
    name: 'Confirm the loss',
    title: (job: string, item: number) => `Confirm that item ${item} of ${job} runs nowhere`,
    will: ['The item may run again, on this word of yours.'],
    cannot: ['If its task still runs somewhere, the item runs twice.'],
    became: 'The item may run again.',
  },
  enableServer: {
    name: 'Enable',
    title: (server: string) => `Enable ${server}`,
    will: ['Every job that has run on this server may run there again, from its next fire time on.'],
    cannot: [] as string[],
    became: 'The server is enabled.',
  },
  disableServer: {
    name: 'Disable',
    title: (server: string) => `Disable ${server}`,
    will: [
      'Nothing of the jobs that have run on this server begins there any more. Their items move to others.',
      'What runs there now goes on to its end.',
      'It stays so over restarts, until somebody enables it. A job that comes there for the first time is enabled.',
    ],
    cannot: ['Where no other server is enabled for a job, its fire times pass without a run.'],
    became: 'The server is disabled.',
  },
  shutdownServer: {
    name: 'Take all jobs from it',
    title: (server: string) => `Take all jobs from ${server}`,
    will: (instances: number) => [
      instances === 1
        ? 'Its one instance leaves all of its jobs. Its process goes on without them.'
        : `Its ${instances} instances leave all of their jobs. Their processes go on without them.`,
      'What runs there now is aborted. With failover others run these items again.',
    ],
    cannot: [
      'They come back only when their processes are restarted.',
      'Aborted runs are recorded as such, and what they have done is done.',
    ],
    became: (count: number) => `${count === 1 ? '1 instance was' : `${count} instances were`} taken out.`,
  },
  removeServer: {
    name: 'Remove',
    title: (server: string) => `Remove ${server}`,
    will: (instances: number) => [
      ...(instances === 0
        ? []
        : [
            `${instances === 1 ? 'Its one instance leaves' : `Its ${instances} instances leave`} all of their jobs ` +
              'until a restart, and what runs there now is aborted.',
          ]),
      'All jobs forget this address, also that it was disabled.',
    ],
    cannot: ['A process that starts there later is a new server: it is enabled in each job that is enabled.'],
    became: 'The server is removed.',
  },
  enableJobOnServer: {
    name: 'Enable',
    title: (job: string, server: string) => `Enable ${job} on ${server}`,
    will: ['The job may run there again.'],
    cannot: [] as string[],
    became: 'The job is enabled there.',
  },
  disableJobOnServer: {
    name: 'Disable',
    title: (job: string, server: string) => `Disable ${job} on ${server}`,
    will: ['Nothing of the job begins there any more. Its items move to others.'],
    cannot: [] as string[],
    became: 'The job is disabled there.',
  },
};
