// State that all views share: who is logged in, the namespace at a glance, the present, and the theme.
export { minute, now } from './now.js';
export { overview } from './overview.js';
export { loadSession, logIn, logOut, may, sees, session, sessionProblem, sessionState } from './session.js';
export { chooseTheme, theme, THEMES } from './theme.js';
