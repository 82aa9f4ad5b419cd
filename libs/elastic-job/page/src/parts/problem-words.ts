/** Words for a problem of the API: the page's own by its code, the console's own sentence where that tells more. */
import type { ProblemAnswer } from '../../../src/console/contract/problem-answers.js';
import type { Texts } from '../text/en/index.js';
import { itemList } from '../text/format.js';

export interface ProblemWords {
  /** In the language of the page; undefined: it has none for this code. */
  readonly words: string | undefined;
  /** The console's own, in English. */
  readonly sentence: string | undefined;
}

/** Codes whose sentence names what no field of the problem has: an expression, a name, a number, another error. */
const DETAILED: readonly string[] = [
  'CRON_SYNTAX',
  'ELASTIC_JOB_2_CONFIGURATION',
  'JOB_EXISTS',
  'MISSING_HISTORY_TABLE',
  'PARTLY_DONE',
  'TARGET_NOT_ALLOWED',
  'TASK_BACKEND',
  'TEMPLATE_LIMIT',
  'TIME_ZONE',
];

type Told = Pick<ProblemAnswer, 'code' | 'detail' | 'instances' | 'items' | 'option' | 'role'>;

/** @param t the language of the page */
export function wordsOf(told: Told, t: Pick<Texts, 'locale' | 'problemFacts' | 'problems' | 'roles'>): ProblemWords {
  const { code, detail, instances = [], items = [], option, role } = told;
  // Without a role it is about where the request comes from, and how.
  const own = code === 'FORBIDDEN' && role === undefined ? undefined : t.problems[code];
  if (own === undefined) return { words: undefined, sentence: detail };
  const facts = t.problemFacts;
  const words = [
    own,
    ...(role === undefined ? [] : [facts.role(t.roles[role])]),
    ...(option === undefined || own.includes(option) ? [] : [facts.option(option)]),
    ...(items.length === 0 ? [] : [facts.items(itemList(items).shown)]),
    ...(instances.length === 0 ? [] : [facts.instances(instances.join(', '))]),
  ];
  // Chinese sentences have no space between them.
  return {
    words: words.join(t.locale.startsWith('zh') ? '' : ' '),
    sentence: DETAILED.includes(code) ? detail : undefined,
  };
}
