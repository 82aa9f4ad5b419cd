import { show } from './option-rules.js';

/**
 * Treatment of an item's fire times that were not begun in time.
 * - `skip`: none is run;
 * - `once`: the latest is run, and stands for those before it, as ElasticJob's `misfire: true`;
 * - `all`: each is run, oldest first, up to `misfireLimit`.
 */
export type MisfirePolicy = 'skip' | 'once' | 'all';

export const MISFIRE_POLICIES: readonly MisfirePolicy[] = ['skip', 'once', 'all'];
/** Limited because each of them is looked at whenever an item is free. */
export const GREATEST_MISFIRE_LIMIT = 1_000;

/** Options that decide what is caught up on. */
interface MisfireOptions {
  readonly misfire: boolean;
  readonly misfirePolicy: MisfirePolicy;
}

/**
 * Completes the two settings: the missing one follows from the other.
 * @see findMisfireFault, for two that disagree
 */
export function resolveMisfire({ misfire, misfirePolicy }: Partial<MisfireOptions>): MisfireOptions {
  const isOn = misfire ?? misfirePolicy !== 'skip';
  return { misfire: isOn, misfirePolicy: misfirePolicy ?? (isOn ? 'once' : 'skip') };
}

/** Finds why the two settings contradict each other; undefined if they do not. */
export function findMisfireFault({ misfire, misfirePolicy }: MisfireOptions): string | undefined {
  // The rules of each report values that are no policy or no switch.
  if (!MISFIRE_POLICIES.includes(misfirePolicy) || typeof misfire !== 'boolean') return undefined;
  if (misfire === (misfirePolicy !== 'skip')) return undefined;
  const remedy = misfire ? 'leave misfire out, or set it to false' : 'leave misfire out, or set it to true';
  return `misfirePolicy ${show(misfirePolicy)} contradicts misfire ${misfire}; ${remedy}`;
}

/** Changes to the two settings. Undefined: no change; null: back to the default. */
interface MisfireChanges {
  readonly misfire?: boolean | null;
  readonly misfirePolicy?: MisfirePolicy | null;
}

/** Changes the other setting along, so that the two do not contradict each other. */
export function followMisfire(
  { misfirePolicy: current }: Partial<MisfireOptions>,
  { misfire, misfirePolicy }: MisfireChanges,
): { readonly misfire?: undefined; readonly misfirePolicy?: MisfirePolicy } {
  if (misfirePolicy !== undefined) return { misfire: undefined };
  return misfire === undefined ? {} : { misfirePolicy: misfirePolicyOf(misfire ?? true, current) };
}

/**
 * The policy that a registry's settings mean. Java and its console know `misfire` alone, so `misfire` counts where the
 * two disagree.
 */
export function misfirePolicyOf(misfire: boolean, policy: MisfirePolicy | undefined): MisfirePolicy {
  if (!misfire) return 'skip';
  return policy === undefined || policy === 'skip' ? 'once' : policy;
}
