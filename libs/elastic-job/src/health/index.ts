export * from './judge.js';
