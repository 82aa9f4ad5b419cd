import '../history/history.css';
import './reruns.css';
import type { OpenRerunAnswer, RerunsAnswer } from '../../../src/console/contract/answers.js';
import { apiPath, get, pathTo, useReading } from '../api/index.js';
import { changeBy } from '../changes/change-by.js';
import { queryOf } from '../history/filters.js';
import { askFor, Behind, type Change, MayNot, Panel, Since, Tag, Time } from '../parts/index.js';
import { may } from '../state/index.js';
import { number, Text, texts } from '../text/index.js';
import { type ItemProgress, progressOf } from './progress.js';
import { words } from './texts.js';

/** Also without a frame of the job's topic: that tells of items, and not of each target that has ended. */
const EVERY_MS = 5_000;
/** Most items that are shown of one. */
const MOST = 200;

/** Re-runs of a job that have not ended yet, the oldest first; nothing if there are none. */
export function OpenReruns({ job }: { readonly job: string }) {
  const { problem, reload, value } = useReading<RerunsAnswer>(
    `reruns ${job}`,
    (signal) => get(apiPath('jobs', job, 'reruns'), { signal }),
    { topics: [`job:${job}`], everyMs: EVERY_MS },
  );
  const reruns = value.value?.items ?? [];
  if (reruns.length === 0) return null;
  return (
    <Panel
      title={words.value.open.title}
      beside={<span class="dim">{reruns.length}</span>}
      right={!may('operator') && <MayNot />}
    >
      {problem.value !== undefined && <Behind problem={problem.value} reload={reload} />}
      <ul>
        {reruns.map((rerun) => (
          <OpenRerun key={rerun.id} job={job} rerun={rerun} reload={reload} />
        ))}
      </ul>
    </Panel>
  );
}

interface OpenRerunProps {
  readonly job: string;
  readonly rerun: OpenRerunAnswer;
  readonly reload: () => void;
}

function OpenRerun({ job, reload, rerun }: OpenRerunProps) {
  const { open: t, withdraw } = words.value;
  const { at, fireTimes, id, waitsFor, withdrawn } = rerun;
  const { ended, failed, items, left, total } = progressOf(rerun);
  const [first] = fireTimes;
  const told = t.ended(ended, total);
  return (
    <li class="rerun-open">
      <div class="rerun-line">
        <b class="mono">
          <Text>{id}</Text>
        </b>
        {withdrawn && <Tag tone="off">{t.withdrawn}</Tag>}
        <span class="dim">
          <Since at={at} />
        </span>
        <span class="dim">
          {t.fireTimes(fireTimes.length)}
          {first !== undefined && (
            <>
              {' · '}
              <Time at={first} withSeconds />
              {fireTimes.length > 1 && ' …'}
            </>
          )}
        </span>
        <span class="rerun-acts">
          <a href={`${pathTo('jobs', job, 'runs')}${queryOf({ origin: `rerun:${id}` })}`}>{t.runs}</a>
          {may('operator') && !withdrawn && (
            <button type="button" class="btn small" onClick={() => askFor(withdrawRerun(job, id, left, reload))}>
              {withdraw.name}
            </button>
          )}
        </span>
      </div>
      <div class="rerun-line">
        <progress value={ended} max={Math.max(1, total)} aria-label={told} />
        <span class="num">{told}</span>
        {failed > 0 && <Tag tone="bad">{t.failed(failed)}</Tag>}
      </div>
      {waitsFor.length > 0 && (
        <div class="told warn" role="status">
          <Text>{t.waitsFor(waitsFor.join(', '))}</Text>
        </div>
      )}
      <details>
        <summary>{t.perItem}</summary>
        <Items items={items} />
      </details>
    </li>
  );
}

function Items({ items }: { readonly items: readonly ItemProgress[] }) {
  const { open: t } = words.value;
  const { columns } = t;
  return (
    <div class="scrolled rerun-targets" role="region" aria-label={t.perItem} tabIndex={0}>
      <table class="plain">
        <thead>
          <tr>
            <th scope="col">{columns.item}</th>
            <th scope="col">{columns.ended}</th>
            <th scope="col">{columns.failed}</th>
            <th scope="col">{columns.left}</th>
          </tr>
        </thead>
        <tbody>
          {items.slice(0, MOST).map(({ ended, failed, item, left }) => (
            <tr key={item}>
              <td class="num">{item}</td>
              <td class="num">{ended}</td>
              <td class="num">{failed}</td>
              <td class="num">{left}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {items.length > MOST && <p class="faint small">{t.more(number(items.length - MOST, texts.value.locale))}</p>}
    </div>
  );
}

/** The change that withdraws a re-run. @param left number of targets that have not ended */
function withdrawRerun(job: string, id: string, left: number, onDone: () => void): Change {
  const t = words.peek().withdraw;
  return changeBy({
    ...t,
    title: t.title(job, id),
    will: t.will(left),
    isDangerous: true,
    method: 'DELETE',
    path: apiPath('jobs', job, 'reruns', id),
    look: ['jobs', job],
    onDone,
  });
}
