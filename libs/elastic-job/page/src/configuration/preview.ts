import type { ConfigAnswer, ConfigPreviewAnswer } from '../../../src/console/contract/job-answers.js';
import { useReading } from '../api/index.js';
import { useSettled } from '../parts/index.js';
import { previewConfig } from './config-change.js';
import { type SortedProblems, sortedProblems } from './faults.js';
import type { FormChanges } from './form.js';

/** An edit that is being made, as the API judges it. */
export interface Preview {
  /** The settings as they would become; undefined while it is not known, or if they would be refused. */
  readonly answer: ConfigPreviewAnswer | undefined;
  readonly problems: SortedProblems['byField'];
  readonly others: readonly string[];
  /** True if the edit would be refused. */
  readonly isWrong: boolean;
}

/** Asks again after each change of the edit, once it is right as far as the page can tell. */
export function usePreview(base: ConfigAnswer, { faults, settings }: FormChanges): Preview {
  const isAsked = faults.size === 0 && Object.keys(settings).length > 0;
  const key = isAsked ? JSON.stringify([base.job, base.version, settings]) : undefined;
  const settled = useSettled(key);
  const { problem, value } = useReading(settled, () => previewConfig(base.job, base.version, settings));
  if (settled !== key || key === undefined) {
    return { answer: undefined, problems: new Map(), others: [], isWrong: faults.size > 0 };
  }
  const { byField: problems, others } = sortedProblems(problem.value?.answer.fields ?? []);
  return {
    answer: problem.value === undefined ? value.value : undefined,
    problems,
    others,
    isWrong: problem.value !== undefined,
  };
}
