import { readMapping } from '../../coordination/index.js';
import { JOB_SETTINGS, mustBeUnseen, type OptionRow, OptionTable, type Rule, rule } from '../../domain/index.js';

/**
 * Prefix of settings that ElasticJob-Cloud does not have, as entries of a job's `props`: its parser refuses further
 * keys at top level, and accepts any of the props.
 */
const OWN_PREFIX = 'elastic-job.io/';

/** Settings of a cloud job beyond ElasticJob-Cloud's fields. */
export interface CloudOwnSettings {
  /** YAML or JSON that is the base of each task's pod. @default none */
  readonly podTemplate?: string;
  /** The queue in which tasks wait for resources. @default none */
  readonly queueName?: string;
  /** @default none */
  readonly priorityClassName?: string;
  /** Labels that a machine must have. @default any machine */
  readonly nodeSelector?: Readonly<Record<string, string>>;
  /** An IANA name or `GMT+8:00`. @default the zone of the schedulers */
  readonly timeZone?: string;
}

const NAME = /^[a-z\d](?:[-.a-z\d]{0,251}[a-z\d])?$/;
const LABEL_KEY = /^(?:[a-z\d](?:[-.a-z\d]{0,251}[a-z\d])?\/)?[A-Za-z\d](?:[-_.A-Za-z\d]{0,61}[A-Za-z\d])?$/;
const LABEL_VALUE = /^(?:|[A-Za-z\d](?:[-_.A-Za-z\d]{0,61}[A-Za-z\d])?)$/;

/** Faults of props show no values. */
function propRule(what: string, accepts: (value: unknown) => boolean): Rule {
  return rule(what, accepts, mustBeUnseen(what));
}

const kubernetesName = propRule(
  'a name of lower-case letters, digits, "-" and "."',
  (value) => typeof value === 'string' && NAME.test(value),
);

const ROWS = {
  podTemplate: {
    rule: propRule(
      'a YAML mapping, such as "spec: {serviceAccountName: reports}"',
      (value) => typeof value === 'string' && readMapping(value).kind === 'mapping',
    ),
  },
  queueName: { rule: kubernetesName },
  priorityClassName: { rule: kubernetesName },
  nodeSelector: { rule: propRule('labels such as "disktype=ssd,zone=a"', isLabels) },
  timeZone: { rule: JOB_SETTINGS.timeZone.rule },
} as const satisfies Readonly<Record<keyof CloudOwnSettings, OptionRow>>;

const TABLE = new OptionTable(ROWS, 'a cloud job', `props.${OWN_PREFIX}`);

/** Reads these settings from the props of a job. `problems` has one text for each fault. */
export function readOwnSettings(props: Readonly<Record<string, string>>): {
  readonly settings: CloudOwnSettings;
  readonly problems: readonly string[];
} {
  const own = Object.entries(props).filter(([name]) => name.startsWith(OWN_PREFIX));
  const texts = Object.fromEntries(own.map(([name, text]) => [name.slice(OWN_PREFIX.length), text]));
  const problems = [...TABLE.findUnknown(texts), ...TABLE.findBroken(texts)];
  const { nodeSelector, ...others } = texts;
  const labels = nodeSelector === undefined ? {} : { nodeSelector: Object.fromEntries(labelsIn(nodeSelector)) };
  return { settings: problems.length > 0 ? {} : { ...others, ...labels }, problems };
}

/** The props for the settings. */
export function formatOwnSettings({ nodeSelector, ...texts }: CloudOwnSettings): Readonly<Record<string, string>> {
  const labels = nodeSelector && Object.entries(nodeSelector).map(([key, value]) => `${key}=${value}`);
  const entries = Object.entries({ ...texts, nodeSelector: labels?.join(',') });
  return Object.fromEntries(
    entries.flatMap(([name, text]) => (text === undefined ? [] : [[OWN_PREFIX + name, text] as const])),
  );
}

/** The user's own props, without ours. */
export function usersProps(props: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(props).filter(([name]) => !name.startsWith(OWN_PREFIX)));
}

function labelsIn(text: string): readonly (readonly [string, string])[] {
  return text.split(',').map((label) => {
    const [key = '', ...value] = label.split('=');
    return [key.trim(), value.join('=').trim()];
  });
}

function isLabels(text: unknown): boolean {
  if (typeof text !== 'string' || !text.split(',').every((label) => label.includes('='))) return false;
  return labelsIn(text).every(([key, value]) => LABEL_KEY.test(key) && LABEL_VALUE.test(value));
}
