// What yargs needs of its platform, for the bundle. Its own platform for Node brings along locales, look-ups of callers and
// package files, and Node's assert: these take longer to load than yargs itself, and the program needs none of them.
import { basename, dirname, extname, join, relative, resolve } from 'node:path';
import cliui from 'cliui';
import Parser from 'yargs-parser/browser';

const none = () => undefined;
/** Texts that the program words otherwise, by those of yargs. */
const words = {};

/** Puts the values where the text has %s or %d. */
function format(text, ...values) {
  let at = 0;
  return text.replace(/%[sd]/g, () => String(values[at++]));
}

export default {
  assert: { notStrictEqual: none, strictEqual: none },
  cliui,
  findUp: none,
  getCallerFile: none,
  getEnv: (name) => process.env[name],
  getProcessArgvBin: () => process.argv[1],
  inspect: String,
  mainFilename: '',
  Parser,
  path: { basename, dirname, extname, join, relative, resolve },
  process: {
    argv: () => process.argv,
    cwd: process.cwd,
    emitWarning: none,
    execPath: () => process.execPath,
    exit: none,
    nextTick: process.nextTick,
    stdColumns: null,
  },
  readFileSync: none,
  readdirSync: () => [],
  require: none,
  stringWidth: (text) => text.length,
  y18n: {
    __: (text, ...values) => format(words[text] ?? text, ...values),
    __n: (one, several, count, ...values) =>
      format(
        ...[count === 1 ? one : several].flatMap((text) => (text.includes('%d') ? [text, count] : [text])),
        ...values,
      ),
    getLocale: () => 'en',
    setLocale: none,
    updateLocale: (more) => void Object.assign(words, more),
  },
};
