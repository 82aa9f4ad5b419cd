// npm run docs, npm run docs:dev: the pages of docs/ and the README as a site.
import { cpSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig, type DefaultTheme } from 'vitepress';
import { findDeadAnchors } from './anchors.js';
import { cardOf, HEAD } from './head.js';
import { FILES, rewriteLinks, showPictures, slugify } from './links.js';
import { breakNamesInTables, drawDiagrams } from './markdown.js';
import { API, type Language, sidebarOf } from './navigation.js';
import { CHINESE_WINDOW, MINI_SEARCH } from './search.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const DOCS = `${ROOT}docs`;
/** Files that pages link to and that are no pages; they are copied. */
const linked = new Set<string>();

/** Labels of the theme on Chinese pages. */
const CHINESE: DefaultTheme.Config = {
  outline: { level: 'deep', label: '本页目录' },
  docFooter: { prev: '上一页', next: '下一页' },
  darkModeSwitchLabel: '外观',
  sidebarMenuLabel: '目录',
  returnToTopLabel: '回到顶部',
  langMenuLabel: '语言',
};

export default defineConfig({
  title: 'nestjs-elastic-job',
  description: 'Elastic-Job for NestJS: scheduled jobs that several instances share through ZooKeeper.',
  head: HEAD,
  transformHead: ({ pageData, description }) => cardOf(pageData, description, process.env.SITE_URL),
  outDir: `${ROOT}docs-site`,
  cacheDir: `${ROOT}node_modules/.cache/vitepress`,
  markdown: {
    // Those of VitePress are too faint on the grounds of the site.
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-default' },
    // Braces are text, as on GitHub.
    attrs: { disable: true },
    anchor: { slugify },
    config: (md) => {
      rewriteLinks(md, ROOT, (file) => linked.add(file));
      showPictures(md, ROOT);
      drawDiagrams(md);
      breakNamesInTables(md);
    },
  },
  locales: {
    root: { label: 'English', lang: 'en', themeConfig: themeOf('en') },
    zh: {
      label: '简体中文',
      lang: 'zh-CN',
      description: '面向 NestJS 的 Elastic-Job：由多个实例通过 ZooKeeper 分担的定时作业。',
      themeConfig: themeOf('zh'),
    },
  },
  themeConfig: {
    logo: '/logo.svg',
    outline: 'deep',
    search: {
      provider: 'local',
      options: { miniSearch: MINI_SEARCH, locales: { zh: { translations: CHINESE_WINDOW } } },
    },
  },
  buildEnd: async ({ outDir }) => {
    for (const file of linked) cpSync(`${ROOT}${file}`, `${outDir}${FILES}/${file}`);
    const dead = findDeadAnchors(outDir);
    if (dead.length > 0) throw new Error(`${dead.length} links to anchors that do not exist:\n${dead.join('\n')}`);
  },
});

function themeOf(language: Language): DefaultTheme.Config {
  const isEnglish = language === 'en';
  const root = isEnglish ? '' : '/zh';
  return {
    sidebar: sidebarOf(DOCS, language),
    nav: [
      { text: isEnglish ? 'Start' : '入门', link: `${root}/start/first-job` },
      { text: 'API', link: API, target: '_self' },
    ],
    ...(isEnglish ? {} : CHINESE),
  };
}
