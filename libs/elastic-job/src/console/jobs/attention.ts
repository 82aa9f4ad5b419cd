import type { JobBriefStatus } from '../../domain/index.js';
import { type Attention, ATTENTIONS } from '../contract/index.js';

/** Reasons by their weight, the most severe last. The numbers of a job's reasons add up to the weight of the job. */
const BY_WEIGHT: readonly Attention[] = [
  'disabled',
  'queued',
  'mixed',
  'no-owner',
  'unreachable',
  'unreadable',
  'overdue',
  'failed',
  'no-leader',
  'crashed',
];

const WEIGHTS = new Map(BY_WEIGHT.map((reason, index) => [reason, 2 ** index]));

/** One number for all reasons of a job: of two jobs the one with the more severe reason has the greater one. */
export function weightOf(reasons: readonly Attention[]): number {
  return reasons.reduce((weight, reason) => weight + WEIGHTS.get(reason)!, 0);
}

export function hasReason(weight: number, reason: Attention): boolean {
  return (weight & WEIGHTS.get(reason)!) !== 0;
}

export function reasonsIn(weight: number): readonly Attention[] {
  return weight === 0 ? [] : ATTENTIONS.filter((reason) => hasReason(weight, reason));
}

/** Facts from which it is judged if an operator should look at a job. */
export interface AttentionFacts {
  readonly status: JobBriefStatus;
  readonly isBeingRemoved: boolean;
  readonly hasLeader: boolean;
  /** True if an item has no owner, or one that is gone. */
  readonly lacksOwner: boolean;
  readonly disabledItems: number;
  readonly failedItems: number;
  readonly queuedItems: number;
  readonly isOverdue: boolean;
  /** True if there are settings that the Java peers of the job do not share. */
  readonly isMixed: boolean;
  readonly isUnreadable: boolean;
}

/**
 * Why an operator should look at a job. A disabled one needs neither owners nor a leader, and one that is being removed
 * needs nothing.
 */
export function attentionOf(facts: AttentionFacts): readonly Attention[] {
  const { status } = facts;
  const isServed = status !== 'CRASHED' && status !== 'DISABLED';
  const found: Readonly<Partial<Record<Attention, boolean>>> = {
    failed: facts.failedItems > 0,
    queued: facts.queuedItems > 0,
    'no-owner': isServed && facts.lacksOwner,
    'no-leader': isServed && !facts.hasLeader,
    disabled: status === 'DISABLED' || facts.disabledItems > 0,
    crashed: status === 'CRASHED',
    overdue: facts.isOverdue,
    mixed: facts.isMixed,
    unreadable: facts.isUnreadable,
  };
  return facts.isBeingRemoved ? [] : ATTENTIONS.filter((reason) => found[reason] === true);
}
