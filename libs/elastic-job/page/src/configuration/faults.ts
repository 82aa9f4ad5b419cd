/** Problems that the API has found in an edit, by field. */
import { FIELDS } from './fields.js';

interface FieldProblem {
  readonly field: string;
  readonly problem: string;
}

export interface SortedProblems {
  readonly byField: ReadonlyMap<string, readonly string[]>;
  /** Those of which the form has no field. */
  readonly others: readonly string[];
}

/** A prop stands as `props.region`; its problem is shown beside the props, with its name. */
export function sortedProblems(problems: readonly FieldProblem[]): SortedProblems {
  const byField = new Map<string, string[]>();
  const others: string[] = [];
  for (const { field, problem } of problems) {
    const [name = '', ...rest] = field.split('.');
    const text = rest.length === 0 ? problem : `${rest.join('.')} ${problem}`;
    if (FIELDS.has(name)) byField.set(name, [...(byField.get(name) ?? []), text]);
    else others.push(`${field} ${problem}`.trim());
  }
  return { byField, others };
}
