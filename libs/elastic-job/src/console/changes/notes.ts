import type { SwitchOutcome } from '../../operations/index.js';
import type { JobAbout } from './ports.js';

/** Changes of which a peer may make something else. */
export type NotedChange = 'switch' | 'switch on server' | 'config' | 'reshard' | 'remove';

const JAVA: { readonly [Change in NotedChange]: string | undefined } = {
  switch: 'a Java instance with overwrite writes its own `disabled` back at its next start',
  'switch on server': 'a Java instance on the server writes what its settings say back at its next start',
  config:
    'Java instances follow at once, but for what is ours alone; one with overwrite writes its own settings back at ' +
    'its next start',
  reshard: 'if a Java instance leads, it assigns the items at the next fire time',
  remove: 'Java instances may write the job again at their next start',
};

const CLOUD: { readonly [Change in NotedChange]: string | undefined } = {
  switch: undefined,
  'switch on server': undefined,
  config:
    "ElasticJob-Cloud's registration decides: the edit is written through to it, or taken back with an error event",
  reshard: undefined,
  remove: 'ElasticJob-Cloud writes the job again while it is registered there',
};

/** Says what does not follow a change; null: everything follows it. */
export function noteOn(change: NotedChange, job: JobAbout): string | null {
  const notes = [
    ...(job.javaInstances > 0 ? [JAVA[change]] : []),
    ...(job.registeredIn === 'cloud' ? [CLOUD[change]] : []),
  ].filter((note) => note !== undefined);
  return notes.length === 0 ? null : notes.join('; ');
}

/** Says what does not follow the switch of a whole job; null: everything follows it. */
export function noteOnSwitch({ javaPeers, newServers }: SwitchOutcome): string | null {
  const notes = [
    ...(newServers === 'unreadable'
      ? ['the settings cannot be read, so that new servers start as they did before']
      : []),
    ...(javaPeers.length > 0 ? [JAVA.switch] : []),
  ];
  return notes.length === 0 ? null : notes.join('; ');
}
