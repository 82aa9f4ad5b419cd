import '../history/history.css';
import type { RerunTargetAnswer } from '../../../src/console/contract/answers.js';
import { instanceName } from '../job/map-layout.js';
import { Tag, Time, type Tone } from '../parts/index.js';
import { number, Text, texts, visibleText } from '../text/index.js';
import { becauseIn } from './because.js';
import { words } from './texts.js';

/** Most that are shown. */
const MOST = 200;
const TONES: Readonly<Record<RerunTargetAnswer['begins'], Tone>> = {
  'at once': 'ok',
  'in turn': 'run',
  waits: 'warn',
  not: 'bad',
};

/** Prospects of the targets, as a table. */
export function Targets({ targets }: { readonly targets: readonly RerunTargetAnswer[] }) {
  const { because: becauseWords, rerun: t } = words.value;
  const { columns } = t;
  const newer = targets.filter(({ newerSuccess }) => newerSuccess === true).length;
  return (
    <>
      {targets.some(({ begins }) => begins === 'not') && <div class="told bad">{t.refused}</div>}
      {newer > 0 && <div class="told warn">{t.newer(newer)}</div>}
      <div class="scrolled rerun-targets" role="region" aria-label={t.preview} tabIndex={0}>
        <table class="plain">
          <thead>
            <tr>
              <th scope="col">{columns.fireTime}</th>
              <th scope="col">{columns.item}</th>
              <th scope="col">{columns.last}</th>
              <th scope="col">{columns.newerSuccess}</th>
              <th scope="col">{columns.owner}</th>
              <th scope="col">{columns.begins}</th>
              <th scope="col">{columns.because}</th>
            </tr>
          </thead>
          <tbody>
            {targets.slice(0, MOST).map(({ because, begins, fireTime, item, last, newerSuccess, owner }) => (
              <tr key={`${fireTime} ${item}`}>
                <td>
                  <Time at={fireTime} withSeconds />
                </td>
                <td class="num">{item}</td>
                <td>{last === null ? <span class="faint">{t.unknown}</span> : t.lasts[last]}</td>
                <td>{newerSuccess === null ? <span class="faint">{t.unknown}</span> : newerSuccess ? t.yes : t.no}</td>
                <td class="mono" title={owner === null ? undefined : visibleText(owner)}>
                  {owner === null ? <span class="faint">–</span> : <Text>{instanceName(owner).ip}</Text>}
                </td>
                <td>
                  <Tag tone={TONES[begins]}>{t.begins[begins]}</Tag>
                </td>
                <td class="because">
                  <Text>{becauseIn(because, becauseWords)}</Text>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {targets.length > MOST && <p class="faint small">{t.more(number(targets.length - MOST, texts.value.locale))}</p>}
    </>
  );
}
