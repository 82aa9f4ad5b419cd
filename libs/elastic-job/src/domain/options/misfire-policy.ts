import { show } from './option-rules.js';

/**
 * What becomes of the fire times of an item that were not begun in time.
 * - `skip`: none is run;
 * - `once`: the latest is run, and stands for those before it, as ElasticJob's `misfire: true`;
 * - `all`: each is run, oldest first, up to `misfireLimit`.
 */
export type MisfirePolicy = 'skip' | 'once' | 'all';

export const MISFIRE_POLICIES: readonly MisfirePolicy[] = ['skip', 'once', 'all'];
/** Each of them is looked at whenever an item is free. */
export const GREATEST_MISFIRE_LIMIT = 1_000;

/** The options that say what is caught up on. */
export interface MisfireOptions {
  readonly misfire: boolean;
  readonly misfirePolicy: MisfirePolicy;
}

/**
 * Both settings, of which either follows from the other if only one is given.
 * @see findMisfireFault, for two that disagree
 */
export function resolveMisfire({ misfire, misfirePolicy }: Partial<MisfireOptions>): MisfireOptions {
  const isOn = misfire ?? misfirePolicy !== 'skip';
  return { misfire: isOn, misfirePolicy: misfirePolicy ?? (isOn ? 'once' : 'skip') };
}

/** Why the two settings contradict each other; undefined if they do not. */
export function findMisfireFault({ misfire, misfirePolicy }: MisfireOptions): string | undefined {
  // What is no policy or no switch at all, the rules of each tell.
  if (!MISFIRE_POLICIES.includes(misfirePolicy) || typeof misfire !== 'boolean') return undefined;
  if (misfire === (misfirePolicy !== 'skip')) return undefined;
  const remedy = misfire ? 'leave misfire out, or set it to false' : 'leave misfire out, or set it to true';
  return `misfirePolicy ${show(misfirePolicy)} contradicts misfire ${misfire}; ${remedy}`;
}

/** What is changed of the two settings. Undefined: nothing; null: back to the default. */
interface MisfireChanges {
  readonly misfire?: boolean | null;
  readonly misfirePolicy?: MisfirePolicy | null;
}

/** The setting that follows a change of the other one, so that they do not contradict each other. */
export function followMisfire(
  { misfirePolicy: current }: Partial<MisfireOptions>,
  { misfire, misfirePolicy }: MisfireChanges,
): { readonly misfire?: undefined; readonly misfirePolicy?: MisfirePolicy } {
  if (misfirePolicy !== undefined) return { misfire: undefined };
  return misfire === undefined ? {} : { misfirePolicy: misfirePolicyOf(misfire ?? true, current) };
}

/**
 * The policy that a registry's settings mean. Java and its console know `misfire` alone, so that is what counts where
 * the two disagree.
 */
export function misfirePolicyOf(misfire: boolean, policy: MisfirePolicy | undefined): MisfirePolicy {
  if (!misfire) return 'skip';
  return policy === undefined || policy === 'skip' ? 'once' : policy;
}
