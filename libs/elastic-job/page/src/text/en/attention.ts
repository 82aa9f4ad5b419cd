/** Why a job needs attention: the name of the reason, and what it means. */
export const attention = {
  failed: { name: 'Failed', means: 'The last run of items has failed for good.' },
  queued: { name: 'Waits for failover', means: 'Items of a dead instance wait for another one to take them over.' },
  'no-owner': { name: 'No owner', means: 'Items belong to no instance that is there. They do not run.' },
  'no-leader': { name: 'No leader', means: 'No instance leads the job. Nothing is assigned anew, or taken over.' },
  disabled: { name: 'Disabled', means: 'Fire times pass without a run.' },
  crashed: { name: 'Crashed', means: 'Nothing runs until an instance starts.' },
  overdue: { name: 'Overdue', means: 'A fire time is due for a minute, and nothing has begun.' },
  mixed: { name: 'Java differs', means: 'Java instances do not know all settings of this job.' },
  unreadable: { name: 'Unreadable', means: 'The settings cannot be read. What was known stays in force.' },
  unreachable: { name: 'Unreachable', means: 'The console may not read the nodes of this job.' },
  'task-unreachable': { name: 'Task unreachable', means: 'Nobody knows if the task of an item still runs.' },
};
