import { pathTo } from '../api/index.js';
import { Time } from '../parts/index.js';
import { queryOf } from './filters.js';
import { FATE_MARKS } from './marks.js';
import { reasonOf, type Strip, type StripColumn } from './strip-layout.js';
import { itemsText } from './strip-words.js';
import { words } from './texts.js';
import { visibleText } from '../text/index.js';

interface StripTableProps {
  readonly job: string;
  readonly strip: Strip;
}

/** The twin of the strip: a row for each fire time, the newest first, with the items of each fate. */
export function StripTable({ job, strip }: StripTableProps) {
  const { columns } = words.value.strip;
  return (
    <div class="scrolled" role="region" aria-label={words.value.strip.title} tabIndex={0}>
      <table class="plain">
        <thead>
          <tr>
            <th scope="col">{columns.fireTime}</th>
            <th scope="col">{columns.items}</th>
          </tr>
        </thead>
        <tbody>
          {strip.columns.toReversed().map((column) => (
            <tr key={column.fireTime}>
              <td>
                {column.isNext ? (
                  <Time at={column.fireTime} withSeconds />
                ) : (
                  <a href={`${pathTo('jobs', job, 'runs')}${queryOf({ fireTime: column.fireTime })}`}>
                    <Time at={column.fireTime} withSeconds />
                  </a>
                )}
              </td>
              <td>
                {column.isNext ? <span class="faint">{words.value.strip.toCome}</span> : <Fates column={column} />}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Fates({ column }: { readonly column: StripColumn }) {
  const { fates, strip: t } = words.value;
  return (
    <ul>
      {[...column.counts.keys()].map((fate) => {
        const first = column.fates.indexOf(fate);
        const reason = reasonOf(column, first);
        const name = reason === undefined ? fates[fate].name : t.reason(fates[fate].name, visibleText(reason));
        return (
          <li key={fate}>
            <span aria-hidden="true">{FATE_MARKS[fate].glyph}</span> {name}:{' '}
            <span class="num">{itemsText(column, fate)}</span>
          </li>
        );
      })}
    </ul>
  );
}
