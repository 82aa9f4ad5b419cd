// Its locales add themselves to it.
declare module 'cronstrue/locales/zh_CN.js';
