import { handleRejection, readable } from '../thrown.js';
import type { JobProps } from './job-props.js';

/** Commands and addresses that an edit in the registry may name, besides those in the process's own options. */
export interface AllowedRegistryTargets {
  /**
   * Executables as command lines name them: absolute paths, or names that are looked up in `PATH`.
   * @default []
   */
  readonly commands?: readonly string[];
  /** Origins of web services, such as `https://settle.example.org`. @default [] */
  readonly origins?: readonly string[];
}

/** A prop that decides what a process does, rather than when. The registry sets it only where that is allowed. */
export interface PropTarget {
  /** The list of allowed targets that applies. Undefined: only the process itself sets the prop, as for a password. */
  readonly among?: keyof AllowedRegistryTargets;
  /** The command or origin that a value names; undefined if it names none that could be allowed. */
  targetOf?(value: string): string | undefined;
  /**
   * Name of the target that this one belongs to, such as the address of a request for its body. The registry's value is
   * followed if the registry's value of that one is, even if both addresses are equal.
   */
  readonly partOf?: string;
}

/** Targets by the names of their props. */
export type PropTargets = Readonly<Record<string, PropTarget>>;

/**
 * Class of a prop that decides when, how often or for how long something is done, and in no way what. The registry sets
 * it, as in Java.
 */
export const WHEN = 'when';

/** Classes of all props that a type reads: each decides either when something is done, or what. */
export type PropClasses = Readonly<Record<string, typeof WHEN | PropTarget>>;

/** Those of the props that decide what is done. */
export function targetsAmong(classes: PropClasses): PropTargets {
  return Object.fromEntries(
    Object.entries(classes).flatMap(([name, decides]) => (decides === WHEN ? [] : [[name, decides] as const])),
  );
}

/** A prop that only the process itself may set. */
export const LOCAL_TARGET: PropTarget = {};

/** The address of a web service. */
export const ORIGIN_TARGET: PropTarget = { among: 'origins', targetOf: originOf };

/** The origin of an HTTP address; undefined if the text is none. */
export function originOf(text: string): string | undefined {
  if (!/^https?:/i.test(text) || !URL.canParse(text)) return undefined;
  return new URL(text).origin;
}

/** Props in force, and the names of those that the registry could not change. */
interface GuardedProps {
  readonly props: JobProps;
  readonly refused: readonly string[];
}

/** Takes over the registry's props, except targets that are not allowed: these keep the value of the process. */
export function guardProps(
  local: JobProps,
  stored: JobProps,
  targets: PropTargets,
  allowed: AllowedRegistryTargets,
): GuardedProps {
  const kept = new Map<string, string | undefined>();
  const refused: string[] = [];
  for (const [name, target] of Object.entries(targets)) {
    const [ours, theirs] = [valueIn(local, name), valueIn(stored, name)];
    if (ours === theirs || isFollowed(target.partOf ?? name, stored, { targets, allowed })) continue;
    kept.set(name, ours);
    if (theirs !== undefined) refused.push(name);
  }
  return { props: kept.size === 0 ? stored : withKept(stored, kept), refused };
}

function withKept(stored: JobProps, kept: ReadonlyMap<string, string | undefined>): JobProps {
  const others = Object.entries(stored).filter(([name]) => !kept.has(name));
  const ours = [...kept].flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
  return Object.fromEntries([...others, ...ours]);
}

/** Rules for the props that a process follows. */
interface Trust {
  readonly targets: PropTargets;
  readonly allowed: AllowedRegistryTargets;
}

/** @param name the target itself, or what it is a part of: the value of a part is not judged, and may be missing */
function isFollowed(name: string, stored: JobProps, { targets, allowed }: Trust): boolean {
  const value = valueIn(stored, name);
  const judged = targets[name];
  return judged !== undefined && value !== undefined && isAllowed(judged, value, allowed);
}

function isAllowed(prop: PropTarget, value: string, allowed: AllowedRegistryTargets): boolean {
  const { among } = prop;
  const target = targetIn(prop, value);
  return among !== undefined && target !== undefined && (allowed[among] ?? []).includes(target);
}

/** A target that cannot be read is not allowed. */
function targetIn(prop: PropTarget, value: string): string | undefined {
  try {
    const target: unknown = prop.targetOf?.(value);
    handleRejection(target);
    return typeof target === 'string' ? target : undefined;
  } catch (error) {
    readable(error);
    return undefined;
  }
}

function valueIn(props: JobProps, name: string): string | undefined {
  return Object.hasOwn(props, name) ? props[name] : undefined;
}
