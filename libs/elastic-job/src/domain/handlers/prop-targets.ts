import type { JobProps } from './props-reader.js';

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
}

/** Targets by the names of their props. */
export type PropTargets = Readonly<Record<string, PropTarget>>;

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
    const ours = Object.hasOwn(local, name) ? local[name] : undefined;
    const theirs = Object.hasOwn(stored, name) ? stored[name] : undefined;
    if (ours === theirs || (theirs !== undefined && isAllowed(target, theirs, allowed))) continue;
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

function isAllowed(prop: PropTarget, value: string, allowed: AllowedRegistryTargets): boolean {
  const { among } = prop;
  const target = prop.targetOf?.(value);
  return among !== undefined && target !== undefined && (allowed[among] ?? []).includes(target);
}
