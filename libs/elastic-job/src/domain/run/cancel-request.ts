/** What an operator asks of a run that is under way. The text of `cancel/{item}`. */
export interface CancelRequest {
  /** As the item's record names it: a request that comes too late means no later run. */
  readonly run: string;
  /** The run's executor is gone, so that nobody has to be told: the run ends as GONE_BY_OPERATOR. */
  readonly isConfirmedLost: boolean;
}

const LOST = ' lost';

export function formatCancelRequest({ run, isConfirmedLost }: CancelRequest): string {
  return isConfirmedLost ? run + LOST : run;
}

export function parseCancelRequest(text: string): CancelRequest {
  const isConfirmedLost = text.endsWith(LOST);
  return { run: isConfirmedLost ? text.slice(0, -LOST.length) : text, isConfirmedLost };
}
