import { describeRegistry } from '../domain/index.js';
import type { JobEventSink } from '../tracing/index.js';
import { EventLogger, isLogSinkOptions } from './event.logger.js';
import type { CompleteModuleOptions } from './module-options.rules.js';

/** The log, and after it the sinks of the module's `tracing`. */
export function createSinks({ tracing, registry }: CompleteModuleOptions): readonly JobEventSink[] {
  const log = tracing.find(isLogSinkOptions);
  const others = tracing.filter((sink): sink is JobEventSink => !isLogSinkOptions(sink));
  const isEmbedded = registry.type !== 'zookeeper' && registry.server === undefined;
  const place = registry.type === 'zookeeper' ? describeRegistry(registry.servers, registry.namespace) : undefined;
  return [new EventLogger({ ...log, isEmbedded, place }), ...others];
}
