/**
 * Everything that nobody, or not everybody, may see. A dump hides the same, but for parameters,
 * which operators see. Values of props are seen by nobody, but for those that the option `showProps` names; the
 * settings under `nestjs.` are no props here. A name stays, and its value becomes `hidden`.
 */
import { HiddenText, isObject, JOB_SETTINGS, type Redact } from '../../domain/index.js';
import type { StoredJobConfiguration } from '../../operations/index.js';
import {
  type AuditEntry,
  type ConsoleCaller,
  ConsoleProblem,
  type ConsoleRole,
  type FieldChange,
  hasJobPrefix,
  HIDDEN,
  type ItemAnswer,
  type JobAnswer,
  type LastRunAnswer,
  mayAs,
  type OpenRerunAnswer,
  seesJob,
  type TaskAnswer,
} from '../contract/index.js';
import { seenIn, shownDeed, unseenIn } from './seen.js';

export interface HidingOptions {
  readonly redact: Redact;
}

/** Facts beside the settings. */
const NO_SETTINGS = ['jobName', 'version'];
const UNREADABLE = 'the settings cannot be read';
/** Settings that only operators see. */
const PARAMETERS = ['jobParameter', 'shardingItemParameters'];
/** Settings that nobody sees. */
const SECRETS = Object.entries(JOB_SETTINGS).flatMap(([name, row]) => ('secret' in row ? [name] : []));
const NEVER_SHOWN = [...SECRETS.filter((name) => !PARAMETERS.includes(name)), 'jobExtraConfigurations'];
/** Settings that come back as `hidden`, or have parts that do. */
const MAY_BE_HIDDEN = [...PARAMETERS, ...NEVER_SHOWN, 'props'];

type Settings = Readonly<Record<string, unknown>>;
interface Seeing {
  readonly role: ConsoleRole;
  readonly jobPrefix?: string | undefined;
  /** Names of props whose values everybody sees. */
  readonly showProps: readonly string[];
}

/** Settings as a role sees them; null for one without a value. */
export function shownSettings(settings: StoredJobConfiguration, seeing: Seeing): Settings {
  const given = Object.entries(settings).filter(([name]) => !NO_SETTINGS.includes(name));
  return Object.fromEntries(given.map(([name, value]) => [name, shown(name, value, seeing)]));
}

/** Given settings as the audit keeps them: it outlives the registry's tree. */
export function maskChanges(settings: Settings): Settings {
  const seeing: Seeing = { role: 'viewer', showProps: [] };
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, shown(name, value, seeing)]));
}

/**
 * The fields that differ, each prop on its own. Where nobody could read what was there before, these are the given
 * ones.
 */
export function diffOf(
  before: StoredJobConfiguration | undefined,
  after: StoredJobConfiguration,
  seeing: Seeing & { readonly fields: readonly string[] },
): readonly FieldChange[] {
  if (before === undefined) {
    const given = Object.entries(flat(after)).filter(([name]) => seeing.fields.includes(name.split('.')[0]!));
    return given.map(([field, value]) => ({ field, before: HIDDEN, after: shownField(field, value, seeing) }));
  }
  const [was, is] = [flat(before), flat(after)];
  const names = [...new Set([...Object.keys(was), ...Object.keys(is)])].filter((name) => !NO_SETTINGS.includes(name));
  return names.flatMap((field) => {
    if (textOf(was[field]) === textOf(is[field])) return [];
    return [{ field, before: shownField(field, was[field], seeing), after: shownField(field, is[field], seeing) }];
  });
}

/**
 * The values that a change really gives: `hidden` means "as it is", also for a single prop. Jobs in `after` stay that
 * are not there for the caller.
 * @param present undefined if they cannot be read
 */
export function withoutHidden(
  settings: Settings,
  present: Pick<StoredJobConfiguration, 'after' | 'props'> | undefined,
  caller: Pick<ConsoleCaller, 'jobPrefix'>,
): Settings {
  const { after = [], props = {} } = present ?? {};
  const unseen = unseenIn(after, caller);
  const given = Object.entries(settings).filter(([name, value]) => value !== HIDDEN || !MAY_BE_HIDDEN.includes(name));
  return Object.fromEntries(
    given.map(([name, value]) => {
      if (name === 'props' && isObject(value)) return [name, withPresent(value, props)];
      return [name, name === 'after' && unseen.length > 0 ? [...[value ?? []].flat(), ...unseen] : value];
    }),
  );
}

/** Where nobody has seen a value as `hidden`, none can stay as it is. @throws {ConsoleProblem} 400 */
export function assertNotHidden(settings: Settings, names: readonly string[] = MAY_BE_HIDDEN): void {
  const given = Object.entries(settings).filter(([name]) => names.includes(name));
  const values = given.flatMap(([name, value]) =>
    name === 'props' && isObject(value)
      ? Object.entries(value).map(([prop, one]) => [PROP + prop, one])
      : [[name, value]],
  );
  const fields = values.flatMap(([field, value]) =>
    value === HIDDEN
      ? [{ field: String(field), problem: 'must be its value, since the present one is not known' }]
      : [],
  );
  if (fields.length > 0) throw new ConsoleProblem(400, 'CONFIGURATION', 'The settings are wrong.', { fields });
}

/** Hides in an answer what the caller may not see. */
export function hideIn(
  answer: unknown,
  caller: Pick<ConsoleCaller, 'jobPrefix' | 'role'>,
  options: HidingOptions,
): unknown {
  if (Array.isArray(answer)) return answer.map((one) => hideIn(one, caller, options));
  if (!isObject(answer)) return answer;
  const seen = Object.entries(answer).map(([field, value]) => {
    // Names of props and of an attacker's nodes are among them, such as `valueOf`.
    const hide = Object.hasOwn(FIELDS, field) ? FIELDS[field] : undefined;
    return [field, hide === undefined ? hideIn(value, caller, options) : hide(value, { caller, options, of: answer })];
  });
  return Object.fromEntries(seen);
}

interface Place {
  readonly caller: Pick<ConsoleCaller, 'jobPrefix' | 'role'>;
  readonly options: HidingOptions;
  /** The object of which it is a field. */
  readonly of: object;
}

type Hide = (value: unknown, place: Place) => unknown;
/** Facts of events in the history. */
type FieldOfEvent = 'agreed' | 'differences' | 'parent';
type HiddenField = keyof (ItemAnswer & LastRunAnswer & TaskAnswer & JobAnswer & AuditEntry & OpenRerunAnswer);

/** Fields of answers, wherever they stand, that not everybody sees as they are. */
const FIELDS: Readonly<Record<string, Hide | undefined>> = {
  parameter: (value, { caller: { role } }) => (mayAs(role, 'operator') ? value : null),
  parameters: (value, { caller: { role } }) => (value === null || mayAs(role, 'operator') ? value : HIDDEN),
  error: redacted,
  description: redacted,
  // It may repeat what the settings have, as names of other jobs.
  problem: (value, place) => (value === null || seesSettings(place) ? redacted(value, place) : UNREADABLE),
  // A note of the backend, which a dump hides as well.
  detail: (value) => (value === null ? null : HIDDEN),
  // Texts that repeat values of settings.
  differences: ofSettings,
  agreed: ofSettings,
  // A job after which another one starts.
  parent: (value, { caller }) => (typeof value === 'string' && !seesJob(caller, value) ? HIDDEN : value),
  before: ofDeed,
  after: (value, place) => (isJob(place.of) ? seenIn(place.of.after, place.caller) : ofDeed(value, place)),
} satisfies Partial<Record<HiddenField | FieldOfEvent, Hide>>;

/** A value before or after a deed, or after a change of a field. */
function ofDeed(value: unknown, place: Place): unknown {
  const { caller, of, options } = place;
  if ('field' in of && of.field === 'description') return redacted(value, place);
  return hideIn(isEntry(of) ? shownDeed(value, caller) : value, caller, options);
}

function ofSettings(value: unknown, place: Place): unknown {
  return seesSettings(place) ? value : HIDDEN;
}

function seesSettings({ caller }: Place): boolean {
  return mayAs(caller.role, 'operator') && !hasJobPrefix(caller);
}

/** Others have a field `after` of another meaning. */
function isJob(of: object): of is Pick<JobAnswer, 'after' | 'members'> {
  return 'members' in of && 'after' in of && Array.isArray(of.after);
}

function isEntry(of: object): boolean {
  return 'requestId' in of && 'outcome' in of;
}

function redacted(value: unknown, { options }: Place): unknown {
  return typeof value === 'string' ? options.redact(value) : value;
}

function shown(name: string, value: unknown, seeing: Seeing): unknown {
  if (value === undefined || value === null) return null;
  if (name === 'props') return isObject(value) ? shownProps(value, seeing) : HIDDEN;
  if (name === 'after' && Array.isArray(value)) return seenIn(value, seeing);
  return isHidden(name, value, seeing) ? (value === '' ? '' : HIDDEN) : value;
}

function isHidden(name: string, value: unknown, { role }: Seeing): boolean {
  if (value instanceof HiddenText || NEVER_SHOWN.includes(name)) return true;
  return PARAMETERS.includes(name) && !mayAs(role, 'operator');
}

function shownProps(props: Settings, { showProps }: Seeing): Settings {
  return Object.fromEntries(
    Object.entries(props).map(([name, value]) => [name, showProps.includes(name) ? value : HIDDEN]),
  );
}

const PROP = 'props.';

function flat({ props, ...settings }: StoredJobConfiguration): Settings {
  const each = Object.entries(props).map(([name, value]) => [PROP + name, value]);
  return { ...settings, ...Object.fromEntries(each) };
}

function shownField(field: string, value: unknown, seeing: Seeing): unknown {
  if (!field.startsWith(PROP)) return shown(field, value, seeing);
  if (value === undefined) return null;
  return seeing.showProps.includes(field.slice(PROP.length)) ? value : HIDDEN;
}

function textOf(value: unknown): string | undefined {
  return value instanceof HiddenText ? value.reveal() : JSON.stringify(value);
}

function withPresent(props: Settings, present: Readonly<Record<string, string>>): Settings {
  return Object.fromEntries(
    Object.entries(props).flatMap(([name, value]) => {
      if (value !== HIDDEN) return [[name, value]];
      return Object.hasOwn(present, name) ? [[name, present[name]]] : [];
    }),
  );
}
