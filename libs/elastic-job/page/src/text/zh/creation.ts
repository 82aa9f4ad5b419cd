import type { CreationTexts } from '../en/creation.js';

export const creation: CreationTexts = {
  title: '创建作业',
  about: '从模板创建',
  toJobs: '返回作业列表',
  name: '名称',
  nameHint: '作业存在期间不会改变。',
  exists: (name) => `已有作业 ${name}，请换一个名称。`,
  template: '模板',
  templateHint: '@ElasticJobTemplate 中的名称。可选已知作业的模板，也可以输入其他的。',
  missing: '必填',
  rest: '其他设置均以模板为准，作业创建后可以更改。',
  review: '检查并创建',
  change: {
    title: (name) => `创建 ${name}`,
    name: '创建',
    joins: (template) => `拥有模板 ${template} 的每个实例都会加入。若没有这样的实例，在有实例到来之前作业为已崩溃。`,
    runs: '从第一个触发时间开始运行。',
    asked: '没有 cron：仅在请求时运行。',
    cannot: ['已运行的无法撤销。作业本身可以再删除。'],
    became: '作业已创建。',
  },
};
