import { Tag } from '../parts/index.js';
import { Text, texts, visibleText } from '../text/index.js';
import type { ItemsProps } from './items.js';
import { instanceName, type MapRow } from './map-layout.js';

interface WhoProps {
  readonly row: MapRow;
  readonly show: ItemsProps['show'];
}

/** The head of a row of the map: the instance, and what is special about it. A click leaves its items alone. */
export function Who({ row: { instance, items, member }, show }: WhoProps) {
  const { map: t } = texts.value.job;
  if (instance === '') {
    return (
      <span class="who" role="rowheader" aria-colindex={1}>
        <span class="dot warn" />
        <span class="cut">{t.nobody}</span>
        <span class="count num">{items}</span>
      </span>
    );
  }
  const { ip, process } = instanceName(instance);
  const tone = member === undefined ? 'bad' : member.draining ? 'warn' : '';
  return (
    <span class="who" role="rowheader" aria-colindex={1}>
      <span class={`dot ${tone}`} aria-hidden="true" />
      <button
        type="button"
        class="cut mono"
        title={t.only(visibleText(instance))}
        tabIndex={-1}
        onClick={() => show({ instance })}
      >
        <Text>{ip}</Text> <span class="faint process">{visibleText(process)}</span>
      </button>
      {member?.leader === true && <Tag tone="accent">{t.leader}</Tag>}
      {member?.java === true && <Tag>{t.java}</Tag>}
      {member?.draining === true && (
        <span class="faint small" title={t.drainingMeans}>
          {t.draining}
        </span>
      )}
      {member === undefined && (
        <span class="faint small" title={t.goneMeans}>
          {t.gone}
        </span>
      )}
      {member !== undefined && member.version !== null && (
        <span class="faint small cut version" title={t.release(visibleText(member.version))}>
          <Text>{member.version}</Text>
        </span>
      )}
      <span class="count num">{items}</span>
    </span>
  );
}
