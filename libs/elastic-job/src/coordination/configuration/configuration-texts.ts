import type { JobName } from '../../domain/index.js';
import { ConfigurationNodeError } from './configuration.errors.js';
import { type ReadConfiguration, readConfiguration, type StoredConfiguration } from './parse-configuration.js';

/** Result of reading a text. */
type Outcome = { readonly read: ReadConfiguration } | { readonly error: unknown };

/**
 * Texts of `config` nodes. Each one is parsed once, however often it is read: after every reconnect, and by every
 * reader.
 */
export class ConfigurationTexts {
  private readonly known = new Map<JobName, { readonly text: string; readonly outcome: Outcome }>();

  /** @see readConfiguration */
  read(text: string, jobName: JobName): ReadConfiguration {
    const known = this.known.get(jobName);
    const outcome = known?.text === text ? known.outcome : outcomeOf(text, jobName);
    this.known.set(jobName, { text, outcome });
    if ('error' in outcome) throw outcome.error;
    return outcome.read;
  }

  /** @see parseConfiguration */
  parse(text: string, jobName: JobName): StoredConfiguration {
    const { stored, problems } = this.read(text, jobName);
    if (problems.length > 0) throw new ConfigurationNodeError(jobName, problems);
    return stored;
  }

  forget(jobName: JobName): void {
    this.known.delete(jobName);
  }
}

function outcomeOf(text: string, jobName: JobName): Outcome {
  try {
    return { read: readConfiguration(text, jobName) };
  } catch (error) {
    return { error };
  }
}
