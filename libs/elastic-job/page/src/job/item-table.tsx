import { useLocation } from 'preact-iso';
import type { ItemAnswer } from '../../../src/console/contract/job-answers.js';
import { type Column, Tag, Time, VirtualTable } from '../parts/index.js';
import { span, Text, texts } from '../text/index.js';
import { Instance } from './fact.js';
import { itemQueryOf } from './item-filters.js';
import type { ItemsProps } from './items.js';
import { MARKS, stateOf } from './item-state.js';

type ItemTableProps = Pick<ItemsProps, 'filters' | 'show'> & { readonly items: readonly ItemAnswer[] };

/** The twin of the map: the same items, one a row, with their last runs. */
export function ItemTable({ filters, items, show }: ItemTableProps) {
  const { path } = useLocation();
  const { columns: name, map, states } = texts.value.job;
  const { units } = texts.value;
  const columns: readonly Column<ItemAnswer>[] = [
    {
      key: 'item',
      name: name.item,
      class: 'cut',
      cell: ({ item, parameter }) => (
        <>
          <a class="num" href={`${path}${itemQueryOf({ ...filters, item })}`} tabIndex={-1}>
            {item}
          </a>{' '}
          {parameter !== null && (
            <span class="faint">
              <Text>{parameter}</Text>
            </span>
          )}
        </>
      ),
    },
    {
      key: 'state',
      name: name.state,
      class: 'cut',
      cell: (item) => {
        const state = stateOf(item);
        return (
          <Tag tone={MARKS[state].tone}>
            <span aria-hidden="true">{MARKS[state].glyph}</span> {states[state].name}
          </Tag>
        );
      },
    },
    {
      key: 'place',
      name: name.place,
      class: 'cut',
      cell: ({ holder, owner }) => {
        const where = holder ?? owner;
        return where === null ? <span class="faint">{map.nobody}</span> : <Instance>{where}</Instance>;
      },
    },
    {
      key: 'since',
      name: name.since,
      class: 'cut',
      cell: ({ lastRun }) => lastRun && <Time at={lastRun.begunAt} withSeconds />,
    },
    {
      key: 'took',
      name: name.took,
      class: 'cut right',
      cell: ({ lastRun }) =>
        lastRun?.settledAt == null ? null : (
          <span class="num">{span(Date.parse(lastRun.settledAt) - Date.parse(lastRun.begunAt), units)}</span>
        ),
    },
    {
      key: 'error',
      name: name.error,
      class: 'cut',
      cell: ({ lastRun }) => lastRun?.error != null && <Text lines="first">{lastRun.error}</Text>,
    },
  ];
  return (
    <VirtualTable<ItemAnswer>
      label={map.title}
      class="items-grid"
      columns={columns}
      count={items.length}
      rowAt={(index) => items[index]}
      keyAt={(index) => items[index]?.item ?? index}
      rowHeight={34}
      onOpen={({ item }) => show({ item })}
    />
  );
}
