import { type Clock, RowIds } from '../../clock/index.js';
import { instanceOfTask, serverIpOfTask } from '../../domain/index.js';
import { fitting } from './trace-row.js';

/** Widths of the columns, in UTF-16 units. */
export const WIDTH = {
  jobName: 100,
  taskId: 255,
  host: 255,
  ip: 50,
  items: 100,
  text: 4_000,
  origin: 120,
  instance: 150,
  version: 64,
};

/** Texts that the rows of one task have in common. */
interface TaskTexts {
  readonly named: string;
  readonly taskId: string;
  readonly ip: string;
  readonly instance: string;
}

/** Ids and numbers, the time, the task and the instance for the rows of this process. */
export class RowSource {
  readonly hostname: string;
  /** Id of this process's instance, as far as an event has told it; else empty. */
  instance = '';
  private readonly ids: RowIds;
  private rows = 0;
  /** The task of the last row: that of the next one is mostly the same. */
  private lastTask: TaskTexts = { named: '', taskId: '', ip: '', instance: '' };

  constructor(private readonly clock: Clock) {
    this.ids = new RowIds(clock);
    this.hostname = fitting(clock.hostName(), WIDTH.host);
  }

  id(): string {
    return this.ids.next();
  }

  number(): number {
    return (this.rows += 1);
  }

  now(): number {
    return this.clock.wallNow();
  }

  task(named: string): TaskTexts {
    if (this.lastTask.named !== named) {
      this.lastTask = {
        named,
        taskId: fitting(named, WIDTH.taskId),
        ip: fitting(serverIpOfTask(named), WIDTH.ip),
        instance: fitting(instanceOfTask(named), WIDTH.instance),
      };
      this.instance = this.lastTask.instance;
    }
    return this.lastTask;
  }
}
