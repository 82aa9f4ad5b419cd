/** The body of every change. */
export interface ReasonBody {
  /** Why; stands in the audit. */
  readonly reason?: string;
}

export interface TriggerBody extends ReasonBody {
  /** For the handlers of our instances; Java's never see it. */
  readonly parameters?: string;
}

export interface RerunBody extends TriggerBody {
  readonly items: readonly number[];
  /** Instants in ISO 8601. */
  readonly fireTimes: readonly string[];
  /** Takes instants that the schedule lacks. */
  readonly anyTime?: boolean;
}

export interface SwitchBody extends ReasonBody {
  /** False: servers that were never there stay as the settings say. @default true */
  readonly newServers?: boolean;
}

export interface RemoveBody extends ReasonBody {
  /** The name of the job, repeated. */
  readonly name: string;
}

export interface ConfigBody extends ReasonBody {
  /** New values by setting; null: the default; `hidden`: as it is. */
  readonly settings: Readonly<Record<string, unknown>>;
}

export interface CreateBody extends ReasonBody {
  readonly name: string;
  readonly template: string;
  readonly settings?: Readonly<Record<string, unknown>>;
}
