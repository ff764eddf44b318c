import { manifestSchema } from './schema.js';
import type { Rules } from './validate.js';
import { validate as validator } from './validator.generated.js';

/** What a manifest document has to be once its shared pieces are put in and its expressions replaced. */
export const STRICT: Rules = {
  validator,
  schema: manifestSchema,
  copy: ['email_subject', 'email_body', 'title', 'unsubscribe_text'],
};
