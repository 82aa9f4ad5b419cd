import { PROTOCOL } from '../protocol.js';

/** Label of our instances, in `labels`, the one field of an instance node that no Java code reads. */
const PREFIX = 'nestjs-elastic-job/';
/** Protocol of a label that names none. */
const FIRST_PROTOCOL = 1;
const PROTOCOL_NUMBER = /^\d{1,9}(?!\d)/;
const VERSION = /^[A-Za-z0-9._+-]{1,64}$/;
/** Most words of a label that are read. */
const MOST_WORDS = 16;

/** Facts that an instance of ours tells in its label, as `nestjs-elastic-job/1 v=1.43.1 can=reruns`. */
export interface InstanceLabel {
  /** Format of the texts that it reads and writes. @see PROTOCOL */
  readonly protocol: number;
  /** Release of its application; undefined if it tells none. */
  readonly version: string | undefined;
  /** Abilities that not all releases have. */
  readonly can: readonly string[];
}

/** True for a text that a label can have as the release. */
export function isVersion(value: unknown): value is string {
  return typeof value === 'string' && VERSION.test(value);
}

/** @param version left out if a label cannot have it */
export function formatInstanceLabel({ can, version }: Partial<Omit<InstanceLabel, 'protocol'>> = {}): string {
  const words = [`${PREFIX}${PROTOCOL}`];
  if (isVersion(version)) words.push(`v=${version}`);
  if (can !== undefined && can.length > 0) words.push(`can=${can.join(',')}`);
  return words.join(' ');
}

/**
 * Words that are unknown are ignored, since later releases may write more.
 * @returns undefined for a Java peer, or anything else that is none of ours
 */
export function parseInstanceLabel(text: string): InstanceLabel | undefined {
  if (!text.startsWith(PREFIX)) return undefined;
  const [protocol = '', ...words] = text.slice(PREFIX.length).split(' ', MOST_WORDS);
  const valueOf = (name: string) => words.find((word) => word.startsWith(`${name}=`))?.slice(name.length + 1);
  const version = valueOf('v');
  const [digits] = PROTOCOL_NUMBER.exec(protocol) ?? [];
  return {
    protocol: Number(digits) || FIRST_PROTOCOL,
    version: isVersion(version) ? version : undefined,
    can: valueOf('can')?.split(',') ?? [],
  };
}
