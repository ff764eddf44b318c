import { decodeHTML, decodeHTMLAttribute } from 'entities/decode';
import { Tokenizer } from 'htmlparser2';
import { bringLibrary } from './html.js';

bringLibrary({ Tokenizer, decodeHTML, decodeHTMLAttribute });
