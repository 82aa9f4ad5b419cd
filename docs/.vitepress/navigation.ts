import { existsSync, readFileSync } from 'node:fs';

/** Languages of the site, and the folder of each below `docs`. */
export type Language = 'en' | 'zh';

interface Group {
  readonly title: Readonly<Record<Language, string>>;
  /** Paths below the folder of the language, without `.md`. */
  readonly pages: readonly string[];
  readonly isFolded?: boolean;
  /** True where TypeDoc's pages stand as well. */
  readonly hasApi?: boolean;
}

/** Pages that a group shows in this order. Those that do not exist yet in a language are left out there. */
const GROUPS: readonly Group[] = [
  {
    title: { en: 'Start', zh: '入门' },
    pages: [
      'overview',
      'choose',
      'start/first-job',
      'start/zookeeper',
      'start/several-instances',
      'start/crash',
      'start/packages',
    ],
  },
  {
    title: { en: 'Concepts', zh: '概念' },
    pages: [
      'concepts/item',
      'concepts/lease',
      'concepts/token',
      'concepts/failover',
      'concepts/misfire',
      'concepts/health',
      'concepts/strategies',
      'concepts/cron',
      'concepts/clock-changes',
    ],
  },
  {
    title: { en: 'Features', zh: '功能' },
    pages: ['features/resident', 'features/after', 'features/listeners', 'features/events', 'features/worker-threads'],
  },
  {
    title: { en: 'Production', zh: '生产环境' },
    pages: [
      'production/checklist',
      'production/zookeeper',
      'production/several-applications',
      'production/session-timeout',
      'production/drain',
      'production/fences',
      'production/upgrade',
      'production/restore',
    ],
  },
  {
    title: { en: 'Kubernetes', zh: 'Kubernetes' },
    pages: ['kubernetes/deployment', 'kubernetes/statefulset', 'kubernetes/shutdown'],
  },
  {
    title: { en: 'Reference', zh: '参考' },
    hasApi: true,
    pages: [
      'reference/options',
      'reference/module-options',
      'reference/environment',
      'reference/events',
      'reference/metrics',
      'reference/spans',
      'reference/error-handlers',
      'reference/job-types',
      'reference/errors',
    ],
  },
  {
    title: { en: 'Job types and Cloud', zh: '作业类型与 Cloud' },
    pages: ['job-types', 'cloud', 'cloud/rest', 'cloud/output'],
  },
  {
    title: { en: 'Operate', zh: '运维' },
    pages: [
      'operate/monitoring',
      'operate/console',
      'operate/operation-apis',
      'operate/dynamic-jobs',
      'operate/history',
      'operate/opentelemetry',
      'operate/dump',
    ],
  },
  { title: { en: 'Recipes', zh: '示例' }, pages: ['recipes/pg', 'recipes/typeorm', 'recipes/drizzle'] },
  { title: { en: 'Test', zh: '测试' }, pages: ['testing', 'test/vitest', 'test/jest'] },
  {
    title: { en: 'Migrate', zh: '迁移' },
    pages: ['migrate/elastic-job-2', 'migrate/elasticjob-3', 'migrate/nestjs-schedule', 'migrate/bullmq'],
  },
  { title: { en: 'Java and questions', zh: '与 Java 共用及常见问题' }, pages: ['beside-java', 'interop', 'faq'] },
  {
    title: { en: 'How it works', zh: '工作原理' },
    isFolded: true,
    pages: [
      'architecture',
      'promises',
      'evidence',
      'performance',
      'security',
      'model/README',
      'project/contributing',
      'style',
      'project/tests',
      'project/suites',
      'project/commands',
      'project/documents',
      'project/changelog',
      'project/reporting',
    ],
  },
];

/** Place of TypeDoc's pages on the site; `npm run docs` writes them after VitePress has written its own. */
export const API = '/reference/api/index.html';

/** An entry of VitePress's sidebar. */
interface Entry {
  readonly text: string;
  readonly link: string;
  readonly target?: string;
}

/**
 * The groups with the pages that exist, for VitePress's sidebar. A page that a language lacks is shown in English.
 * @param docs folder of the sources
 */
export function sidebarOf(docs: string, language: Language) {
  return GROUPS.flatMap(({ title, pages, isFolded = false, hasApi = false }) => {
    const items: Entry[] = pages.flatMap((page) => entryOf(docs, language, page) ?? []);
    if (hasApi) items.push({ text: 'API', link: API, target: '_self' });
    return items.length === 0 ? [] : [{ text: title[language], collapsed: isFolded, items }];
  });
}

function entryOf(docs: string, language: Language, page: string): Entry | undefined {
  const folders = language === 'en' ? [''] : [`/${language}`, ''];
  const folder = folders.find((one) => existsSync(`${docs}${one}/${page}.md`));
  return folder === undefined
    ? undefined
    : { text: titleOf(readFileSync(`${docs}${folder}/${page}.md`, 'utf8')), link: `${folder}/${page}` };
}

/** The title in the frontmatter, or the first heading. */
function titleOf(text: string): string {
  const [, title] =
    /^title: (.+)$/m.exec(/^---\n([\s\S]*?)\n---\n/.exec(text)?.[1] ?? '') ?? /^# (.+)$/m.exec(text) ?? [];
  if (title === undefined) throw new TypeError(`A page without a title: ${text.slice(0, 80)}`);
  return title.replaceAll('`', '');
}
