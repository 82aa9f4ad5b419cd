import type { ServerInstanceAnswer } from '../../../src/console/contract/answers.js';
import { Tag } from '../parts/index.js';
import { span, Text, texts } from '../text/index.js';
import { isOff, offsetOf } from './clock.js';

/** The clock of an instance, beside that of the registry. */
export function Offset({ ms }: { readonly ms: number | null }) {
  const { servers: t, units } = texts.value;
  if (ms === null) return <span class="faint">{t.clockUnknown}</span>;
  const { amountMs, is } = offsetOf(ms);
  const text = t.clock[is](span(amountMs, units));
  return isOff(ms) ? <Tag tone="warn">{text}</Tag> : <span class="num">{text}</span>;
}

interface ReleasesProps {
  readonly versions: readonly string[];
  /** True if there is an instance of ours. Nobody knows the release of Java's. */
  readonly isOurs: boolean;
}

/** Releases of instances, as far as they tell any. */
export function Releases({ isOurs, versions }: ReleasesProps) {
  const { servers: t } = texts.value;
  if (versions.length === 0) return <span class="faint">{isOurs && t.noRelease}</span>;
  return (
    <span class="num">
      <Text>{versions.join(', ')}</Text>
    </span>
  );
}

/** The state of an instance. It may leave one of its jobs, or all of them with its process. */
export function InstanceState({ member }: { readonly member: ServerInstanceAnswer }) {
  const { servers: t } = texts.value;
  const { drainingJobs, java, jobs } = member;
  if (drainingJobs === 0) return <Tag tone="ok">{java ? t.runsJava : t.runs}</Tag>;
  return <Tag tone="move">{drainingJobs === jobs ? t.draining : t.drainingIn(drainingJobs, jobs)}</Tag>;
}
