import type { FieldChange } from '../../../src/console/contract/job-answers.js';
import { visibleText } from '../text/index.js';
import { Shown } from './shown.js';
import { words } from './texts.js';

/** Changes, field by field. */
export function Diff({ changes }: { readonly changes: readonly FieldChange[] }) {
  return (
    <dl class="edit-diff">
      {changes.map(({ after, before, field }) => (
        <div key={field}>
          <dt class="mono">{visibleText(field)}</dt>
          <dd>
            <span class="unshown">{words.value.was} </span>
            <del>
              <Shown field={field} value={before} />
            </del>
            <span aria-hidden="true"> → </span>
            <ins>
              <Shown field={field} value={after} />
            </ins>
          </dd>
        </div>
      ))}
    </dl>
  );
}
