import './overview.css';
import type { OverviewAnswer } from '../../../src/console/contract/answers.js';
import { pathTo } from '../api/index.js';
import { Boundary, later, Look, Panel, Read, Tag, Time, Until, useHeld, useTitle } from '../parts/index.js';
import { now, overview } from '../state/index.js';
import { span, Text, texts } from '../text/index.js';
import { Attention } from './attention.js';
import { Changed } from './changed.js';
import { deployIn } from './deploy.js';
import { DeployNote } from './deploy-note.js';
import { Health } from './health.js';

const Glance = later(() => import('../history/glance.js').then((part) => part.Glance));
const SOON_MS = 15 * 60_000;

/** The namespace at a glance: what needs attention, what runs and will run, and who has changed what. */
export function Overview() {
  const { overview: t } = texts.value;
  useTitle(t.title);
  return (
    <>
      <h1 class="unshown">{t.title}</h1>
      <Read of={overview} lines={6}>
        {(facts) => <Facts facts={facts} />}
      </Read>
    </>
  );
}

function Facts({ facts }: { readonly facts: OverviewAnswer }) {
  const deploy = deployIn(facts);
  // It would push what is below it away from under a click.
  const { holding, shown } = useHeld(deploy);
  return (
    <>
      {shown !== null && (
        <Boundary>
          <DeployNote deploy={deploy ?? shown} facts={facts} />
        </Boundary>
      )}
      <div class="causes-held" {...holding}>
        <Boundary>
          <Attention facts={facts} />
        </Boundary>
      </div>
      <Boundary>
        <Health facts={facts} />
      </Boundary>
      <div class="cols">
        <div class="stack">
          {facts.history !== null && (
            <Boundary>
              <Glance history={facts.history} />
            </Boundary>
          )}
          <div class="two">
            <Running facts={facts} />
            <Next facts={facts} />
          </div>
        </div>
        <Changed />
      </div>
    </>
  );
}

function Running({ facts }: { readonly facts: OverviewAnswer }) {
  const { items, overview: t } = texts.value;
  const { holding, shown } = useHeld(facts.busiest);
  const count = facts.runningItems > 0 && <Tag tone="run">{items(facts.runningItems)}</Tag>;
  return (
    <Panel title={t.runningNow} beside={count} on={holding}>
      {shown.length === 0 ? (
        <Look title={t.nothingRuns} />
      ) : (
        <ul>
          {shown.map(({ items: all, job, running }) => (
            <li class="row three" key={job}>
              <a class="cut" href={pathTo('jobs', job)}>
                <Text>{job}</Text>
              </a>
              <span class="num dim">
                {running} / {all}
              </span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

function Next({ facts }: { readonly facts: OverviewAnswer }) {
  const { overview: t, units } = texts.value;
  const { holding, shown } = useHeld(facts.next);
  const soon = shown.filter(({ fireTime }) => Date.parse(fireTime) < now.value + SOON_MS);
  const [first] = shown;
  const then = first && t.nextThen(texts.value.inTime(span(Date.parse(first.fireTime) - now.value, units)));
  return (
    <Panel title={t.nextTitle} on={holding}>
      {soon.length === 0 ? (
        <Look title={t.nextNone} more={then} />
      ) : (
        <ul>
          {soon.map(({ fireTime, job }) => (
            <li class="row three" key={`${job} ${fireTime}`}>
              <a class="cut" href={pathTo('jobs', job)}>
                <Text>{job}</Text>
              </a>
              <span class="faint">
                <Until at={fireTime} />
              </span>
              <Time at={fireTime} />
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
