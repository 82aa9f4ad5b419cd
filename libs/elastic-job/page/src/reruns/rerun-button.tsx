import { askFor, MayNot } from '../parts/index.js';
import { may } from '../state/index.js';
import { rerunJob } from './rerun.js';

interface RerunButtonProps {
  readonly job: string;
  readonly items: readonly number[];
  /** ISO 8601. */
  readonly fireTimes: readonly string[];
  readonly name: string;
  readonly onDone?: () => void;
}

/** Asks to run items at past fire times again; for somebody who may not, the reason. */
export function RerunButton({ fireTimes, items, job, name, onDone }: RerunButtonProps) {
  if (!may('operator')) return <MayNot />;
  return (
    <button type="button" class="btn small" onClick={() => askFor(rerunJob(job, items, fireTimes, onDone))}>
      {name}
    </button>
  );
}
