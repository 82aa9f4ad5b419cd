import { HiddenText, type JobConfiguration } from '../../domain/index.js';

type Comparable = string | number | boolean | undefined;
type Comparables = Readonly<Record<string, Comparable>>;

const PROPS = 'props.';

/** A setting in which the registry's node differs from the local options. A strategy is named by its type. */
export interface ConfigurationDifference {
  /** A field of `JobConfiguration`, or `props.` and the name of one of the props. */
  readonly field: string;
  readonly local: Comparable;
  readonly stored: Comparable;
  /** True if the registry may not set it: the local value stays in force. */
  readonly isRefused?: true;
}

/** Names of the settings with other values, each prop as one of its own: `cron`, `props.size`. */
export function changedSettings(former: JobConfiguration, present: JobConfiguration): readonly string[] {
  return findDifferences(former, present).map(({ field }) => field);
}

/** Differences of the settings in force from the local ones. */
export function findDifferences(local: JobConfiguration, inForce: JobConfiguration): ConfigurationDifference[] {
  const { props: localProps, ...localSettings } = local;
  const { props, ...settings } = inForce;
  return [
    ...differencesOf(comparables(localSettings), comparables(settings)),
    // Each prop is a field of its own.
    ...differencesOf(localProps, props, PROPS),
  ];
}

/** The difference in one of the props. */
export function propDifference(name: string, local: Comparable, stored: Comparable): ConfigurationDifference {
  return differenceIn(PROPS + name, local, stored);
}

export function hasSameProps(local: Comparables, others: Comparables): boolean {
  return differencesOf(local, others).length === 0;
}

function differencesOf(ours: Comparables, theirs: Comparables, prefix = ''): ConfigurationDifference[] {
  const names = Object.keys(theirs).filter((name) =>
    Object.hasOwn(ours, name) ? ours[name] !== theirs[name] : theirs[name] !== undefined,
  );
  for (const name of Object.keys(ours)) if (!Object.hasOwn(theirs, name) && ours[name] !== undefined) names.push(name);
  return names.map((name) => differenceIn(prefix + name, ours[name], theirs[name]));
}

function comparables(settings: Omit<JobConfiguration, 'props'>): Comparables {
  return Object.fromEntries(Object.entries(settings).map(([field, value]) => [field, comparable(value)]));
}

function comparable(value: Exclude<JobConfiguration[keyof JobConfiguration], JobConfiguration['props']>): Comparable {
  if (typeof value !== 'object') return value;
  if (value instanceof HiddenText) return value.reveal().trim();
  if (Array.isArray(value)) return value.join(', ');
  return 'type' in value ? value.type : JSON.stringify(value);
}

/** Props may hold passwords of mail servers and databases, so their difference is shown, but not their values. */
function differenceIn(field: string, ours: Comparable, theirs: Comparable): ConfigurationDifference {
  const isSecret = field.startsWith(PROPS) || field === 'jobExtraConfigurations';
  const shown = (value: Comparable) => (isSecret && value !== undefined ? 'hidden' : value);
  return { field, local: shown(ours), stored: shown(theirs) };
}
