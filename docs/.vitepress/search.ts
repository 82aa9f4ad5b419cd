import type { DefaultTheme } from 'vitepress';

type MiniSearch = NonNullable<DefaultTheme.LocalSearchOptions['miniSearch']>;

/**
 * How texts and questions become words. VitePress writes the functions into the page as text, so they may use nothing
 * but their arguments and what every browser has.
 */
export const MINI_SEARCH: Required<Pick<MiniSearch, 'options' | 'searchOptions'>> = {
  options: {
    /** Words of English and Chinese; a name in code counts as a whole and by its parts. */
    tokenize: (text) => {
      const segments = [...new Intl.Segmenter('zh', { granularity: 'word' }).segment(text)];
      const words = segments.filter(({ isWordLike }) => isWordLike === true).map(({ segment }) => segment);
      return words.flatMap((word) => {
        const parts = word.split(/[_.:]|(?<=[a-z\d])(?=[A-Z])/).filter(Boolean);
        return parts.length > 1 ? [word, ...parts] : [word];
      });
    },
    /** Words that every question has say nothing of what is sought. */
    processTerm: (term) => {
      const silent =
        'a an and are be by can did do does for from has how i if in is it its my not of on or that the this to was ' +
        'what when where which who why will with you your 的 了 是 在 和 我 吗 怎么 如何 什么 为什么 多久 怎样';
      const word = term.toLowerCase();
      return silent.split(' ').includes(word) ? null : word;
    },
  },
  searchOptions: {
    fuzzy: 0.15,
    prefix: true,
    boost: { title: 4, titles: 2, text: 1 },
    /** A guide answers a question sooner than a list of names, and that sooner than pages for contributors. */
    boostDocument: (id) => {
      if (/^\/(zh\/)?(architecture|evidence|model|performance|project|promises)\b/.test(id)) return 0.4;
      return /^\/(zh\/)?reference\//.test(id) ? 0.6 : 1;
    },
  },
};

/** The texts of the search's window in Chinese. */
export const CHINESE_WINDOW: DefaultTheme.LocalSearchOptions['translations'] = {
  button: { buttonText: '搜索', buttonAriaLabel: '搜索' },
  modal: {
    displayDetails: '显示详细列表',
    resetButtonTitle: '清除',
    backButtonTitle: '返回',
    noResultsText: '没有结果',
    footer: { selectText: '选择', navigateText: '切换', closeText: '关闭' },
  },
};
